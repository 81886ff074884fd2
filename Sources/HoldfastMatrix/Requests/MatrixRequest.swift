import Foundation
import HoldfastCore
import HoldfastHTTP

/// A request of Matrix's client-server API ([Matrix 1.15](https://spec.matrix.org/v1.15/client-server-api/)).
struct MatrixRequest: Sendable {
  var method: String
  /// The parts behind `/_matrix/client`, not encoded.
  var path: [String]
  var query: [String: String]
  var body: JSONValue?
  /// What is sent in place of `body`, and its type.
  var file: (bytes: Data, mediaType: String)?
  /// The part of the address behind `/_matrix`.
  var area: String
  /// The time that the answer may take.
  var limit: Duration

  /// A server on a phone's network answers much sooner.
  static let usualLimit: Duration = .seconds(20)

  init(
    _ method: String, _ path: [String], query: [String: String] = [:], body: JSONValue? = nil,
    area: String = "client", limit: Duration = usualLimit
  ) {
    (self.method, self.path, self.query, self.body, self.limit) = (method, path, query, body, limit)
    self.area = area
  }

  /// Sends the request.
  ///
  /// - Throws: ``MatrixRefusal`` when the server refuses it, ``MatrixSilence`` when no answer comes in time, and ``HTTPFailure``.
  func answer(
    from server: URL, token: String?, httpClient: any HTTPClient, in environment: ChatEnvironment
  ) async throws -> MatrixAnswer {
    let request = try http(to: server, token: token)
    guard let response = try await httpClient.response(to: request, within: limit, in: environment) else {
      throw MatrixSilence()
    }
    guard response.head.status == 200 else { throw MatrixRefusal(response, now: environment.now()) }
    return MatrixAnswer(response: response)
  }

  func http(to server: URL, token: String?) throws -> HTTPRequest {
    guard let url = Self.url(on: server, ["_matrix", area] + path, query) else {
      throw ConnectionFailure(.incompatible, detail: "the homeserver's address is no address")
    }
    // A password, a token and messages go to another machine encrypted or not at all.
    guard url.scheme?.lowercased() == "https" || HostName(url.host(percentEncoded: false) ?? "").isThisMachine
    else {
      throw ConnectionFailure(.insecure, detail: "the homeserver's address is not encrypted: use https")
    }
    var headers: [String: String] = [:]
    headers["Authorization"] = token.map { "Bearer \($0)" }
    var data: Data?
    if let file {
      (headers["Content-Type"], data) = (file.mediaType, file.bytes)
      // Some servers refuse a request that may have a body and has none.
    } else if let body = body ?? (method == "GET" ? nil : [:]) {
      headers["Content-Type"] = "application/json"
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      data = try encoder.encode(body)
    }
    return HTTPRequest(method, url, headers: headers, body: data)
  }

  /// An address with each part encoded, so that a slash in an ID is no separator.
  static func url(on server: URL, _ parts: [String], _ query: [String: String] = [:]) -> URL? {
    guard var components = URLComponents(url: server, resolvingAgainstBaseURL: false),
      ["http", "https"].contains(components.scheme?.lowercased() ?? ""), components.host?.isEmpty == false
    else { return nil }
    var base = components.percentEncodedPath
    while base.hasSuffix("/") { base.removeLast() }
    components.percentEncodedPath = base + parts.map { "/" + encoded($0) }.joined()
    if !query.isEmpty {
      components.percentEncodedQuery = query.sorted { $0.key < $1.key }
        .map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }
    return components.url
  }

  /// Everything but what [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986), section 2.3, leaves as it is.
  private static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}

/// What the server answered.
struct MatrixAnswer: Sendable {
  var response: HTTPResponse

  /// - Throws: ``ConnectionFailure`` when the answer is no JSON object.
  func fields() throws(ConnectionFailure) -> JSONFields {
    guard let fields = try? JSONFields(utf8: response.body) else {
      throw ConnectionFailure(.incompatible, detail: "an answer is no JSON object")
    }
    return fields
  }
}

/// No answer came in time.
struct MatrixSilence: Error {}

/// The server's refusal of a request ([standard errors](https://spec.matrix.org/v1.15/client-server-api/#standard-error-response)).
struct MatrixRefusal: Error, Sendable, Hashable {
  var status: Int
  /// The server's code, such as `M_FORBIDDEN`. Empty when the answer is not a homeserver's.
  var code: String
  /// The time for which the server asks to be left alone.
  var retryAfter: Duration?
  /// Whether a new token for the same device makes good.
  var isSoftLogout: Bool

  init(status: Int, code: String, retryAfter: Duration? = nil, isSoftLogout: Bool = false) {
    (self.status, self.code, self.retryAfter, self.isSoftLogout) = (status, code, retryAfter, isSoftLogout)
  }

  init(_ response: HTTPResponse, now: Date) {
    let fields = try? JSONFields(utf8: response.body)
    let milliseconds = fields?.integer("retry_after_ms").map {
      Duration.milliseconds(max(0, min($0, 86_400_000)))
    }
    self.init(
      status: response.head.status, code: fields?.word("errcode") ?? "",
      retryAfter: milliseconds ?? response.head.retryAfter(now: now),
      isSoftLogout: fields?.isSet("soft_logout") ?? false)
  }

  /// A code is shown in logs, so nothing but a code is.
  var shownCode: String {
    code.utf8.count <= 64 && code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ($0 >= 0x41 && $0 <= 0x5A) }
      && !code.isEmpty ? code : "status \(status)"
  }
}

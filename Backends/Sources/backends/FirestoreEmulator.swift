import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Google's Firestore emulator as a process, and its record, read past the security rules.
actor FirestoreEmulator {
  let project = "holdfast-backends"
  let port: Int
  private let jar: String
  private let rules: URL
  private let log: URL
  private var process: ServerProcess?

  init(jar: String, rules: URL, log: URL) throws {
    (self.jar, self.rules, self.log) = (jar, rules, log)
    port = try freePort()
  }

  /// Starts it, and returns once it answers. It has nothing then: it keeps its data in memory.
  func start() async throws {
    let environment = ChatEnvironment()
    let process = try ServerProcess(
      "java",
      [
        "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jar,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1",
        "--port=\(port)", "--rules=\(rules.path)",
      ], log: log)
    self.process = process
    let deadline = environment.uptime() + .seconds(60)
    while (try? await get("/")) != 200 {
      guard process.isRunning, environment.uptime() < deadline else {
        process.end()
        throw ServerProcess.Failure(description: "The Firestore emulator does not start; see \(log.path).")
      }
      try await environment.sleep(environment.uptime() + .milliseconds(50))
    }
  }

  func end() {
    process?.end()
    process = nil
  }

  /// Documents of a collection, past the rules, by a query in Firestore's REST form.
  func query(_ query: [String: Any]) async throws -> [[String: Any]] {
    let body = try JSONSerialization.data(withJSONObject: ["structuredQuery": query])
    let answer = try await request(
      "POST", "/v1/projects/\(project)/databases/(default)/documents:runQuery", body: body)
    let rows = try JSONSerialization.jsonObject(with: answer) as? [[String: Any]] ?? []
    return rows.compactMap { $0["document"] as? [String: Any] }
  }

  private func get(_ path: String) async throws -> Int {
    let (_, response) = try await URLSession.shared.data(from: url(path))
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }

  func request(_ method: String, _ path: String, body: Data? = nil, token: String = "owner") async throws
    -> Data
  {
    var request = URLRequest(url: url(path))
    request.httpMethod = method
    request.httpBody = body
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw ServerProcess.Failure(description: "Firestore answered \(String(decoding: data, as: UTF8.self))")
    }
    return data
  }

  private nonisolated func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  /// An unsigned token, as the emulator takes it.
  nonisolated func token(of account: UserID) -> String {
    let now = Int(ChatEnvironment().now().timeIntervalSince1970)
    let claims: [String: Any] = [
      "iss": "https://securetoken.google.com/\(project)", "aud": project, "sub": account.rawValue,
      "user_id": account.rawValue, "iat": now, "exp": now + 3600, "auth_time": now,
    ]
    let header = Data(#"{"alg":"none","typ":"JWT"}"#.utf8)
    let payload = (try? JSONSerialization.data(withJSONObject: claims)) ?? Data()
    return "\(base64URL(header)).\(base64URL(payload))."
  }

  private nonisolated func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

/// A port of the loopback interface that nobody has.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isFree = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isFree else { throw ServerProcess.Failure(description: "This machine has no free port.") }
  return Int(UInt16(bigEndian: address.sin_port))
}

import Foundation

/// A request to an HTTP server.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: URL
  package var headers: [String: String]
  package var body: Data?

  package init(_ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }
}

/// The head of a response.
package struct HTTPHead: Sendable {
  package var status: Int
  private let fields: [String: String]

  package init(status: Int, headers: [String: String] = [:]) {
    self.status = status
    fields = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// The value of a header. Nil when the response has none of this name.
  package subscript(_ name: String) -> String? { fields[name.lowercased()] }

  /// The delay from the `Retry-After` header ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110), section 10.2.3).
  /// Nil when it has none.
  package func retryAfter(now: Date) -> Duration? {
    guard let value = self["Retry-After"]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else {
      return nil
    }
    if let seconds = Double(value) {
      return seconds.isFinite && seconds >= 0 ? .seconds(min(seconds, 31_536_000).rounded(.up)) : nil
    }
    return Self.date(value).map { .seconds(max(0, $0.timeIntervalSince(now).rounded(.up))) }
  }

  /// The time of the response by the server's clock, in whole seconds ([RFC
  /// 9110](https://www.rfc-editor.org/rfc/rfc9110), section 6.6.1). Nil when it has none.
  package var date: Date? { self["Date"].flatMap(Self.date) }

  private static func date(_ value: String) -> Date? {
    let reader = DateFormatter()
    (reader.locale, reader.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "GMT"))
    reader.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return reader.date(from: value)
  }
}

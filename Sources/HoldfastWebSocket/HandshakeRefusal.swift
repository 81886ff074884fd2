import Foundation
import HoldfastCore
import HoldfastRelay

extension ConnectionFailure {
  /// The failure of a handshake that the server answered with a status other than 101.
  ///
  /// - Parameters:
  ///   - retryAfter: the `Retry-After` header. Nil when the server sent none.
  ///   - date: the server's own `Date` header, to which a date in `retryAfter` refers. Nil when the server sent
  ///     none.
  ///   - now: this device's date, used when the server sent none.
  init(status: Int, retryAfter: String?, date: String?, now: Date) {
    let reason: Reason =
      switch status {
      case 401, 403, 407: .unauthorized
      case 408, 429, 500...599: .unavailable
      default: .incompatible
      }
    self.init(
      reason,
      retryAfter: reason == .unavailable
        ? retryAfter.flatMap { Duration(retryAfter: $0, date: date, now: now) } : nil,
      detail: "the server answered \(status)")
  }
}

extension Duration {
  /// Parses a `Retry-After` header, which has seconds or a date ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110),
  /// section 10.2.3). A day at most. Nil when it has neither.
  init?(retryAfter header: String, date: String?, now: Date) {
    let value = header.trimmingCharacters(in: .whitespaces)
    let day = 86_400.0
    if let seconds = Double(value), seconds.isFinite {
      self = .seconds(min(max(seconds, 0), day))
    } else if let until = Date(httpDate: value) {
      let start = date.flatMap(Date.init(httpDate:)) ?? now
      self = .seconds(min(max(until.timeIntervalSince(start), 0), day))
    } else {
      return nil
    }
  }
}

extension Date {
  /// Parses the form that every server must send ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110), section
  /// 5.6.7). The two obsolete forms are not supported.
  fileprivate init?(httpDate: String) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    guard let date = formatter.date(from: httpDate) else { return nil }
    self = date
  }
}

import Foundation
import HoldfastCommand

/// Decides which requests may reach the demo: only those of the browser page that was opened with the printed
/// address. Everything else on this machine, or behind another page, is refused.
///
/// - Host: a name that an attacker made to point at 127.0.0.1 (DNS rebinding) is not one of ours.
/// - Origin: a foreign page may not post, even if the browser would send the cookie along.
/// - Token: other users of this machine can reach the port, but do not know the session.
struct Gatekeeper: Sendable {
  let port: UInt16
  let session: String

  /// The name contains the port, because cookies do not distinguish ports.
  var cookieName: String { "holdfast-\(port)" }

  var cookie: String { "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/" }

  private var hosts: Set<String> { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Nil when the request may pass, otherwise one sentence with the reason.
  func refusal(of request: PageRequest) -> String? {
    guard let host = request.header("Host"), hosts.contains(host.lowercased()) else {
      return "This is not the demo's address."
    }
    if let origin = request.header("Origin"),
      !hosts.contains(where: { origin.lowercased() == "http://\($0)" })
    {
      return "Only the demo's own page may use the demo."
    }
    if request.method == .POST,
      request.header("Sec-Fetch-Site").map({ $0 != "same-origin" }) ?? false
    {
      return "Only the demo's own page may use the demo."
    }
    guard let token = token(of: request), isSession(token) else {
      return "Open the address that `holdfast-lab demo` printed."
    }
    return nil
  }

  private func token(of request: PageRequest) -> String? {
    // Only the page's own address contains the token. All later requests have the cookie.
    if request.path == "/", let token = request.value("session") {
      return token
    }
    return request.header("Cookie")?.split(separator: ";").lazy
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("\(cookieName)=") }
      .map { String($0.dropFirst(cookieName.count + 1)) }
  }

  /// Compares a token with the session in constant time, so that the token cannot be guessed bit by bit.
  private func isSession(_ token: String) -> Bool {
    let expected = Array(session.utf8)
    let given = Array(token.utf8)
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

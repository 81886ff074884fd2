import Foundation
import HoldfastHTTP

/// A redirection of a model's server to another address of its own host
/// ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110), section 15.4). The account's key goes along.
struct Redirection {
  /// The most redirections of one request.
  static let most = 3

  let address: URL
  /// Whether later requests begin there.
  let isPermanent: Bool

  /// The redirection that a response is. Nil when it is another response.
  ///
  /// - Throws: ``ModelError`` with code `rejected` when it leads to another host or port, or to a plain connection.
  init?(_ head: HTTPHead, from old: URL) throws(ModelError) {
    guard [301, 302, 303, 307, 308].contains(head.status), let place = head["Location"],
      let new = URL(string: place, relativeTo: old)?.absoluteURL, let host = new.host(percentEncoded: false)
    else { return nil }
    let isOwn = host.lowercased() == old.host(percentEncoded: false)?.lowercased()
    let isEncrypted = (old.scheme == "https", new.scheme?.lowercased() == "https")
    let isKept = isEncrypted.0 == isEncrypted.1 && new.portInUse == old.portInUse
    guard isOwn, isKept || isEncrypted == (false, true), head.status != 303 else {
      throw ModelError(
        .rejected, "The model's server sends to \(new.scheme ?? "http")://\(host). Give its address.")
    }
    (address, isPermanent) = (new, [301, 308].contains(head.status))
  }

  /// The error of a request that was redirected once too often.
  static func circle(at address: URL) -> ModelError {
    let host = address.host(percentEncoded: false) ?? ""
    return ModelError(.rejected, "The model's server at \(host) sends in a circle. Check its address.")
  }
}

extension URL {
  /// The port, also where it is the usual one.
  fileprivate var portInUse: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}

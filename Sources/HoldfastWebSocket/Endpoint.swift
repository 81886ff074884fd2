import Foundation
import HoldfastCore

#if !canImport(Darwin)
  import NIOCore
#endif

/// The validated address of a WebSocket ([RFC 6455](https://www.rfc-editor.org/rfc/rfc6455), section 3).
struct Endpoint: Hashable, Sendable {
  let url: URL
  let isSecure: Bool
  let host: String
  let port: Int
  /// The path and the query, as in the request line.
  let target: String

  init(_ url: URL) throws(ConnectionFailure) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), ["ws", "wss"].contains(scheme)
    else {
      throw ConnectionFailure(
        .incompatible, detail: "the address is neither ws nor wss; one is wss://chat.example.org/v1/connect")
    }
    // An IPv6 address has brackets in a URL, but not when connecting.
    let host = (parts.encodedHost ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ConnectionFailure(.incompatible, detail: "the address names no host")
    }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw ConnectionFailure(.incompatible, detail: "the address has a user, a password or a fragment")
    }
    guard scheme == "wss" || HostName(host).isThisMachine else {
      throw ConnectionFailure(
        .insecure, detail: "the address is not encrypted, and leads to another machine: use wss")
    }
    let port = parts.port ?? (scheme == "wss" ? 443 : 80)
    guard (1...65535).contains(port) else {
      throw ConnectionFailure(.incompatible, detail: "the address has an invalid port")
    }
    self.url = url
    isSecure = scheme == "wss"
    self.host = host
    self.port = port
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// The value of the `Host` header. The default port is left out, because servers compare the value literally.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
}

extension Endpoint {
  /// Whether the host is this machine.
  var isOnThisMachine: Bool { HostName(host).isThisMachine }
}

#if !canImport(Darwin)
  extension Endpoint {
    /// Whether the host is an address and not a name, so that a certificate cannot contain its name.
    var hasAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }
  }
#endif

/// The value of the `Authorization` header.
func bearer(from token: @Sendable () async throws -> String) async throws -> String {
  "Bearer " + (try await BearerToken.value(of: token))
}

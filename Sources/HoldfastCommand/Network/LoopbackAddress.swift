import FlyingSocks
import Foundation

/// A port on this machine that only this machine can reach.
///
/// The library's own `.inet` extends a type of the system with the library's protocol, and a build of single files
/// does not always find that conformance.
package struct LoopbackAddress: SocketAddress {
  package static let family = sa_family_t(AF_INET)

  /// 0 means any free port.
  package var port: UInt16

  package init(port: UInt16) { self.port = port }

  package func withSockAddr<Value, Failure: Error>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var address = sockaddr_in()
    address.sin_family = Self.family
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Result { () throws(Failure) in try body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) }
      }
    }
    return try result.get()
  }
}

extension LoopbackAddress {
  /// A port that is free at this moment.
  package static func freePort() throws -> Int {
    let socket = try Socket(domain: AF_INET, type: .stream)
    defer { try? socket.close() }
    try socket.bind(to: LoopbackAddress(port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    return Int(port)
  }
}

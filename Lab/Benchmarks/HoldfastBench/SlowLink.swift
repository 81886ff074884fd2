import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A way to a server on this machine that is as long as one through a network: every byte is held for half a
/// round trip, in both directions, and the first ones for the round trip of TCP's handshake as well. Bytes
/// wait side by side, so that it limits no throughput; it loses none.
final class SlowLink: Sendable {
  let port: UInt16
  private let listener: Int32
  private let received = Received()

  /// The bytes that the server has sent.
  var receivedBytes: Int { received.count.withLock { $0 } }

  init(to server: UInt16, roundTrip: Duration) throws {
    let listener = try Socket.make()
    self.listener = listener
    guard Socket.withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw BenchmarkFailure("No port is free.")
    }
    port = Socket.port(of: listener)
    Thread.detachNewThread { [received] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Self.join(client, to: server, roundTrip: roundTrip, received)
      }
    }
  }

  /// Takes no more connections. Those that are open end with their sockets.
  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func join(_ client: Int32, to port: UInt16, roundTrip: Duration, _ received: Received) {
    guard let server = try? Socket.make(),
      Socket.withLoopback(port, { connect(server, $0, $1) }) == 0
    else { return _ = shutdown(client, Int32(SHUT_RDWR)) }
    let opened = ContinuousClock.now + roundTrip
    DelayedBytes(from: client, to: server, delay: roundTrip / 2, notBefore: opened).start()
    DelayedBytes(
      from: server, to: client, delay: roundTrip / 2, notBefore: opened, counting: received
    ).start()
  }
}

private final class Received: Sendable {
  let count = Mutex(0)
}

/// One direction: a thread that reads, and one that writes what has waited for long enough.
// All that both threads touch is guarded by `condition`.
private final class DelayedBytes: @unchecked Sendable {
  private let (source, target): (Int32, Int32)
  private let delay: Duration
  private let notBefore: ContinuousClock.Instant
  private let received: Received?
  private let condition = NSCondition()
  private var waiting: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []

  init(
    from source: Int32, to target: Int32, delay: Duration, notBefore: ContinuousClock.Instant,
    counting received: Received? = nil
  ) {
    self.received = received
    (self.source, self.target) = (source, target)
    self.delay = delay
    self.notBefore = notBefore
    Socket.sendAtOnce(target)
  }

  func start() {
    Thread.detachNewThread { self.readAll() }
    Thread.detachNewThread { self.writeAll() }
  }

  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      condition.lock()
      received?.count.withLock { $0 += max(count, 0) }
      // No bytes: the end.
      waiting.append((max(.now, notBefore) + delay, Array(buffer.prefix(max(count, 0)))))
      condition.signal()
      condition.unlock()
      if count <= 0 { return }
    }
  }

  private func writeAll() {
    while true {
      condition.lock()
      while waiting.isEmpty { condition.wait() }
      let next = waiting.removeFirst()
      condition.unlock()
      let wait = ContinuousClock.now.duration(to: next.due)
      if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
      guard !next.bytes.isEmpty, Socket.sendAll(next.bytes, to: target) else {
        shutdown(target, Int32(SHUT_WR))
        return
      }
    }
  }
}

/// The few calls that are written differently on Linux and on Apple's systems.
private enum Socket {
  static func make() throws -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw BenchmarkFailure("No socket: error \(errno).") }
    return descriptor
  }

  static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
    }
  }

  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      _ = getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Small pieces do not wait for an answer to the ones before.
  static func sendAtOnce(_ descriptor: Int32) {
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  static func sendAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

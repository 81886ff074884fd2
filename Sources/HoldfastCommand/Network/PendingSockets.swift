import Holdfast
import HoldfastCore
import NIOCore
import Synchronization

/// The sockets whose server waits for the other side: for the hello of a relay's client, for the rest of a request,
/// or for a response to be read. A socket that takes too long is closed, so that nobody can hold sockets open.
///
/// ```
///          ┌── a part of it ──┐
///          ▼                  │      all of it has arrived
///   begun, extended ──────────┴──────────────────────────► complete
///     └── the time limit has passed ──► given up, and closed
/// ```
final class PendingSockets: Sendable {
  private struct Pending {
    var channel: any Channel
    var deadline: ChatEnvironment.Instant
    /// Nil for this machine: a proxy forwards the sockets of everybody.
    var address: String?
  }

  private struct State {
    var pending: [ObjectIdentifier: Pending] = [:]
    var givenUp = 0
  }

  private let time: Duration
  private let environment: ChatEnvironment
  private let state = Mutex(State())
  private let begun = Signal()

  /// - Parameter time: the time limit, counted from the opening of a socket or from its last progress.
  init(time: Duration, environment: ChatEnvironment) {
    self.time = time
    self.environment = environment
  }

  /// The number of sockets that were closed because they took too long.
  var givenUp: Int { state.withLock { $0.givenUp } }

  /// The number of sockets that are pending now.
  var underWay: Int { state.withLock { $0.pending.count } }

  /// The most pending sockets of one address. One more closes the oldest of them.
  private static let mostOfAnAddress = 64

  func begin(_ channel: any Channel) {
    let address = channel.remoteAddress?.ipAddress.flatMap { address in
      // A socket for both families gives an IPv4 address in this form (RFC 4291, section 2.5.5.2).
      let plain = address.hasPrefix("::ffff:") ? String(address.dropFirst("::ffff:".count)) : address
      return HostName(plain).isThisMachine ? nil : address
    }
    let pending = Pending(channel: channel, deadline: environment.uptime() + time, address: address)
    let tooMany = state.withLock { state in
      defer { state.pending[ObjectIdentifier(channel)] = pending }
      guard address != nil else { return nil as Pending? }
      let others = state.pending.values.filter { $0.address == address }
      return others.count < Self.mostOfAnAddress ? nil : others.min { $0.deadline < $1.deadline }
    }
    tooMany?.channel.close(promise: nil)
    channel.closeFuture.whenComplete { _ in self.complete(channel) }
    begun.raise()
  }

  /// Resets a socket's time limit, because the other side has sent or read something.
  func extend(_ channel: any Channel) {
    guard channel.isActive else { return }
    let deadline = environment.uptime() + time
    state.withLock {
      $0.pending[ObjectIdentifier(channel), default: Pending(channel: channel, deadline: deadline)].deadline =
        deadline
    }
    begun.raise()
  }

  func complete(_ channel: any Channel) {
    state.withLock { _ = $0.pending.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  /// Closes the socket that has been pending longest, to make room for another.
  func closeOldest() {
    state.withLock { $0.pending.values.min { $0.deadline < $1.deadline } }?.channel.close(promise: nil)
  }

  /// Closes the sockets that take too long, until the task is cancelled. Sockets with about the same deadline are
  /// closed together, so that a flood of them is one line of the log.
  func run() async {
    while !Task.isCancelled {
      let next = state.withLock { $0.pending.values.lazy.map(\.deadline).min() }
      await begun.wait(until: next.map { $0 + time / 10 }, in: environment)
      giveUp()
    }
  }

  private func giveUp() {
    let now = environment.uptime()
    let (late, sum) = state.withLock { state in
      let late = state.pending.filter { $0.value.deadline <= now }
      for id in late.keys { state.pending[id] = nil }
      state.givenUp += late.count
      return (late.values.map(\.channel), state.givenUp)
    }
    guard !late.isEmpty else { return }
    for channel in late { channel.close(promise: nil) }
    environment.logger.notice(
      "sockets closed that took too long", metadata: ["sockets": "\(late.count)", "inAll": "\(sum)"])
  }
}

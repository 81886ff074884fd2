import NIOCore
import Synchronization

/// The open sockets of a server, so that the server can close them at any time.
final class OpenChannels: Sendable {
  private struct State {
    var isClosing = false
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// Called when a channel closes.
    var waiter: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// The number of open sockets. The listening ones are not counted.
  var sockets: Int { state.withLock { $0.channels.values.count { $0.parent != nil } } }

  var count: Int { state.withLock { $0.channels.count } }

  /// Returns true while fewer than `maximum` channels are open. Otherwise `waiter` is called once, when one has closed.
  func hasRoom(atMost maximum: Int, orElse waiter: @escaping @Sendable () -> Void) -> Bool {
    state.withLock {
      if $0.channels.count < maximum { return true }
      $0.waiter = waiter
      return false
    }
  }

  /// Keeps a channel until it is closed. A channel added after ``close(within:)`` is closed at once.
  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isLate = state.withLock {
      $0.channels[id] = channel
      return $0.isClosing
    }
    channel.closeFuture.whenComplete { _ in
      let waiter = self.state.withLock { state in
        state.channels.removeValue(forKey: id)
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?()
    }
    if isLate { channel.close(promise: nil) }
  }

  /// Accepts no more channels. The listening channel is closed now, and the others after `patience`, unless they end
  /// by themselves. Returns a future for the end of each channel.
  @discardableResult
  func close(within patience: TimeAmount) -> [EventLoopFuture<Void>] {
    let channels = state.withLock {
      $0.isClosing = true
      return Array($0.channels.values)
    }
    for channel in channels {
      if channel.parent == nil { channel.close(promise: nil) } else { channel.close(after: patience) }
    }
    return channels.map(\.closeFuture)
  }
}

extension Channel {
  func close(after patience: TimeAmount) {
    eventLoop.scheduleTask(in: patience) { self.close(promise: nil) }
  }
}

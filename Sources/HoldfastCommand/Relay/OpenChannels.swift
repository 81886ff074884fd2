import NIOCore
import Synchronization

/// The sockets of a relay, so that it can end whatever they are doing.
final class OpenChannels: Sendable {
  private struct State {
    var isClosing = false
    var channels: [ObjectIdentifier: any Channel] = [:]
  }
  private let state = Mutex(State())

  /// Kept until it is closed. One that comes too late is closed at once.
  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isLate = state.withLock {
      $0.channels[id] = channel
      return $0.isClosing
    }
    channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.channels.removeValue(forKey: id) } }
    if isLate { channel.close(promise: nil) }
  }

  /// No more are taken: the listening one is closed now, and the others if they do not end by themselves within `patience`.
  /// Returns the ends of all.
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

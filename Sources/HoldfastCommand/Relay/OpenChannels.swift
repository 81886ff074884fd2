import NIOCore
import Synchronization

/// The open sockets of a relay, so that the relay can end whatever they are doing.
final class OpenChannels: Sendable {
  private struct State {
    var isClosing = false
    var channels: [ObjectIdentifier: any Channel] = [:]
  }
  private let state = Mutex(State())

  /// The number of open sockets. The listening ones are not counted.
  var sockets: Int { state.withLock { $0.channels.values.count { $0.parent != nil } } }

  /// Keeps a channel until it is closed. A channel that comes after ``close(within:)`` is closed at once.
  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isLate = state.withLock {
      $0.channels[id] = channel
      return $0.isClosing
    }
    channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.channels.removeValue(forKey: id) } }
    if isLate { channel.close(promise: nil) }
  }

  /// Takes no more channels. The listening channel is closed now, and the others if they do not end by themselves
  /// within `patience`. Returns a future for the end of each channel.
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

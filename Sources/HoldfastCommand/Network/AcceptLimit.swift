import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Accepts no new socket while the process has its maximum open. Without it, `accept` fails repeatedly, and the
/// database cannot be opened either.
final class AcceptLimit: ChannelOutboundHandler {
  typealias OutboundIn = Channel

  private let channels: OpenChannels
  private let maximum: Int

  init(_ channels: OpenChannels, atMost maximum: Int) { (self.channels, self.maximum) = (channels, maximum) }

  func read(context: ChannelHandlerContext) {
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    let hasRoom = channels.hasRoom(atMost: maximum) {
      context.eventLoop.execute { context.value.channel.read() }
    }
    if hasRoom { context.value.read() }
  }

  /// The sockets that the process may have open, after its limit of descriptors was raised as far as possible. The
  /// rest is for the database, its attachments and the system's libraries.
  static func sockets() -> Int {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 200 }
    let wanted = min(limit.rlim_max, 65_536)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
    }
    return max(16, Int(min(limit.rlim_cur, 65_536)) - 100)
  }
}

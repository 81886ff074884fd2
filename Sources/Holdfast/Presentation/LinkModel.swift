import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The way to the server for a view, and the banner that tells of it (SPEC N2).
@MainActor @Observable public final class LinkModel {
  /// The state of the connection.
  public private(set) var link: Connectivity
  /// Over which kind of interface. Nil while offline, and where the platform does not tell.
  public private(set) var interface: NetworkPath.Interface?
  /// Nil while all is well.
  public private(set) var banner: LinkBanner?
  /// The server refuses the credentials: the app gets new ones, by a login if need be, and calls
  /// ``ChatClient/reconnectNow()``. Nothing is lost meanwhile (SPEC O7).
  public private(set) var needsCredentials: Bool
  /// How far a long queue has gone out. Nil while there is none, and while it does not move.
  public private(set) var progress: LinkBanner.Progress?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var state: LinkBannerState

  /// A model of the client's connection.
  public init(_ client: ChatClient) {
    self.client = client
    link = client.live.link
    needsCredentials = client.live.needsCredentials
    interface = client.live.interface
    state = LinkBannerState(since: client.environment.uptime())
  }

  /// A queue is counted from its index, which takes a millisecond for each ten thousand. While it is long it is counted
  /// four times a second, and not with every receipt.
  private static let longQueue = 1_000
  private static let pause: Duration = .milliseconds(250)

  /// Follows the link until the task is cancelled.
  public func run() async {
    var drain = DrainProgress()
    var counted: (at: ChatEnvironment.Instant, waiting: Int, leaving: Int)?
    let signal = Signal()
    let subscription = client.store.changes.subscribe(signal) { $0.link || $0.outbox }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      let now = client.environment.uptime()
      let isFresh = counted.map { $0.waiting >= Self.longQueue && now < $0.at + Self.pause } ?? false
      if !isFresh {
        let behindFailed = client.configuration.retry.behindFailed
        let counts = try? client.store.read { db in
          let waiting = try db.queuedCount()
          return (
            waiting: waiting, leaving: try db.leavingCount(ofWaiting: waiting, behindFailed: behindFailed)
          )
        }
        counted = (now, counts?.waiting ?? 0, counts?.leaving ?? 0)
      }
      let (countedAt, queued, leaving) = counted ?? (now, 0, 0)
      link = client.live.link
      needsCredentials = client.live.needsCredentials
      if interface != client.live.interface { interface = client.live.interface }
      state.update(link: link, queued: queued, now: now)
      if banner != state.banner { banner = state.banner }
      drain.update(link: link, waiting: leaving, delivered: client.live.delivered, now: now)
      if progress != drain.shown { progress = drain.shown }
      let recount = isFresh ? countedAt + Self.pause : nil
      let deadline = [state.deadline, drain.deadline, recount].compactMap { $0 }.min()
      await signal.wait(until: deadline, in: client.environment)
    }
  }
}

/// Which banner is shown, and until when. Pure.
///
/// ```
///   (nothing) ──offline──► offline ──► reconnecting ──online──► connected ──2 s──► (nothing)
///       └── not online within a second of launch ──┘
/// ```
struct LinkBannerState: Equatable, Sendable {
  static let connectedFor: Duration = .seconds(2)
  /// A launch that connects at once shows nothing.
  static let grace: Duration = .seconds(1)

  private(set) var banner: LinkBanner?
  /// When it changes without being told.
  private(set) var deadline: ChatEnvironment.Instant?
  private let launchedAt: ChatEnvironment.Instant
  private var hasBeenOnline = false

  init(since launchedAt: ChatEnvironment.Instant) { self.launchedAt = launchedAt }

  mutating func update(link: Connectivity, queued: Int, now: ChatEnvironment.Instant) {
    switch link {
    case .offline:
      banner = LinkBanner(kind: .offline, queued: queued)
      deadline = nil
    case .reconnecting:
      let isLaunching = !hasBeenOnline && banner == nil && now < launchedAt + Self.grace
      banner = isLaunching ? nil : LinkBanner(kind: .reconnecting)
      deadline = isLaunching ? launchedAt + Self.grace : nil
    case .elsewhere:
      (banner, deadline) = (nil, nil)
    case .online:
      hasBeenOnline = true
      if let banner, banner.kind != .connected {
        self.banner = LinkBanner(kind: .connected)
        deadline = now + Self.connectedFor
      } else if let end = deadline, end <= now {
        (banner, deadline) = (nil, nil)
      } else if banner == nil {
        deadline = nil
      }
    }
  }
}

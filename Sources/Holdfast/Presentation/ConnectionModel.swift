import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The connection to the server, and the banner about it, for a view (rule N2).
@MainActor @Observable public final class ConnectionModel {
  /// The state of the connection.
  public private(set) var connectivity: Connectivity
  /// The kind of interface that the connection uses. Nil while offline, and when the platform does not report it.
  public private(set) var interface: NetworkPath.Interface?
  /// The banner to show. Nil while all is well.
  public private(set) var banner: ConnectionBanner?
  /// Whether the server refuses the credentials. The app then gets new ones, by a login if need be, and calls
  /// ``ChatClient/reconnectNow()``. Nothing is lost in the meantime (rule O7).
  public private(set) var needsCredentials: Bool
  /// The progress of a long queue that is being sent. Nil without a long queue, and while nothing is delivered.
  public private(set) var progress: ConnectionBanner.Progress?
  /// The reason why the queue could not be counted (rule V5). The banner then has the last number. Nil while it can be
  /// counted.
  public private(set) var problem: ChatError?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var state: ConnectionBannerState
  /// The last count, and its time. Nil until the queue was counted.
  @ObservationIgnored private var counted: (at: ChatEnvironment.Instant, waiting: Int, leaving: Int)?

  /// A model of the client's connection.
  public init(_ client: ChatClient) {
    self.client = client
    connectivity = client.connectivity
    needsCredentials = client.needsCredentials
    interface = client.sharedStates.link.interface
    state = ConnectionBannerState(since: client.environment.uptime())
  }

  /// The length from which a queue is counted four times a second, and not with every acknowledgement. The count
  /// reads the queue's index, which takes a millisecond for each ten thousand messages.
  private static let longQueue = 1_000
  private static let pause: Duration = .milliseconds(250)

  /// Follows the connection until the task is cancelled.
  public func run() async {
    var drain = DrainProgress()
    let signal = Signal()
    let subscription = client.store.changes.subscribe(signal) {
      $0.link || $0.outbox || $0.delivered
    }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      let now = client.environment.uptime()
      let isFresh = counted.map { $0.waiting >= Self.longQueue && now < $0.at + Self.pause } ?? false
      if !isFresh, let counts = count() { counted = (now, counts.waiting, counts.leaving) }
      let (countedAt, queued, leaving) = counted ?? (now, 0, 0)
      connectivity = client.connectivity
      needsCredentials = client.needsCredentials
      if interface != client.sharedStates.link.interface { interface = client.sharedStates.link.interface }
      // Without a server, its connection cannot fail.
      if client.transport.capabilities.hasServer {
        state.update(link: connectivity, isRefused: needsCredentials, queued: queued, now: now)
      }
      drain.update(
        link: connectivity, waiting: leaving, delivered: client.sharedStates.outbox.delivered, now: now)
      let texts = client.configuration.texts
      let shown = (
        banner: state.banner?.localized(with: texts), progress: drain.shown?.localized(with: texts)
      )
      if banner != shown.banner { banner = shown.banner }
      if progress != shown.progress { progress = shown.progress }
      let recount = isFresh ? countedAt + Self.pause : nil
      let deadline = [state.deadline, drain.deadline, recount].compactMap { $0 }.min()
      await signal.wait(until: deadline, in: client.environment)
    }
  }
}

extension ConnectionModel {
  /// The number of queued messages, and of those that are sent automatically. Nil when they could not be counted.
  private func count() -> (waiting: Int, leaving: Int)? {
    do throws(ChatError) {
      let counts = try client.context.queueCounts()
      if problem != nil { problem = nil }
      return counts
    } catch {
      let shown = error.localized(with: client.configuration.texts)
      if problem != shown { problem = shown }
      return nil
    }
  }
}

/// Decides which banner is shown, and until when. Pure.
///
/// ```
///   (nothing) ──offline──► offline ──► reconnecting ──online──► connected ──2 s──► (nothing)
///       └── not online within a second of launch ──┘        └── refused for 3 s ──► signed out
/// ```
struct ConnectionBannerState: Equatable, Sendable {
  static let connectedFor: Duration = .seconds(2)
  /// The time after a launch before a banner is shown. A launch that connects at once shows nothing.
  static let grace: Duration = .seconds(1)
  /// The time after which a refusal is shown. Credentials that have expired are replaced by the next attempt.
  static let refusalGrace: Duration = .seconds(3)

  private(set) var banner: ConnectionBanner?
  /// The instant at which the banner changes without an update. Nil when it does not.
  private(set) var deadline: ChatEnvironment.Instant?
  private let launchedAt: ChatEnvironment.Instant
  private var hasBeenOnline = false
  /// The time at which the server began to refuse the credentials. Nil while it does not.
  private var refusedAt: ChatEnvironment.Instant?

  init(since launchedAt: ChatEnvironment.Instant) { self.launchedAt = launchedAt }

  mutating func update(
    link: Connectivity, isRefused: Bool = false, queued: Int, now: ChatEnvironment.Instant
  ) {
    refusedAt = link == .reconnecting && isRefused ? refusedAt ?? now : nil
    switch link {
    case .offline:
      banner = ConnectionBanner(kind: .offline, queued: queued)
      deadline = nil
    case .reconnecting:
      let isLaunching = !hasBeenOnline && banner == nil && now < launchedAt + Self.grace
      let refusalEnd = refusedAt.map { $0 + Self.refusalGrace }
      let isSignedOut = refusalEnd.map { $0 <= now } ?? false
      banner = isLaunching ? nil : ConnectionBanner(kind: isSignedOut ? .signedOut : .reconnecting)
      deadline = isLaunching ? launchedAt + Self.grace : isSignedOut ? nil : refusalEnd
    case .otherProcess:
      (banner, deadline) = (nil, nil)
    case .online:
      hasBeenOnline = true
      if let banner, banner.kind != .connected {
        self.banner = ConnectionBanner(kind: .connected)
        deadline = now + Self.connectedFor
      } else if let end = deadline, end <= now {
        (banner, deadline) = (nil, nil)
      } else if banner == nil {
        deadline = nil
      }
    }
  }
}

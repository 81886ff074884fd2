import Holdfast
import Metrics
import ServiceLifecycle

/// The outbox in swift-metrics, for whatever collects the metrics of this process. It has numbers and no contents.
///
/// | label | what |
/// |---|---|
/// | `holdfast_outbox_messages`, with `state` `waiting`, `held` or `failed` | how many messages and operations |
/// | `holdfast_outbox_oldest_seconds` | how long the oldest has waited, as of the last change |
/// | `holdfast_connected` | 1 while the server answers, or another process of the bot has the connection |
/// | `holdfast_signed_out` | 1 while the server refuses the token: give the bot another one |
/// | `holdfast_delivery_seconds`, with `quantile` `0.5` or `0.95` | from the call to the server's receipt |
struct OutboxMetrics: Service {
  private let outbox: OutboxHandle
  private let waiting, held, failed, oldest, connected, signedOut, median, slow: Gauge

  init(_ outbox: OutboxHandle, factory: any MetricsFactory = MetricsSystem.factory) {
    func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> Gauge {
      Gauge(label: "holdfast_\(label)", dimensions: dimensions, factory: factory)
    }
    self.outbox = outbox
    waiting = gauge("outbox_messages", [("state", "waiting")])
    held = gauge("outbox_messages", [("state", "held")])
    failed = gauge("outbox_messages", [("state", "failed")])
    oldest = gauge("outbox_oldest_seconds")
    connected = gauge("connected")
    signedOut = gauge("signed_out")
    median = gauge("delivery_seconds", [("quantile", "0.5")])
    slow = gauge("delivery_seconds", [("quantile", "0.95")])
  }

  func run() async throws {
    for await health in outbox.healthChanges().cancelOnGracefulShutdown() { record(health) }
  }

  func record(_ health: OutboxHealth) {
    waiting.record(health.waiting)
    held.record(health.held)
    failed.record(health.failed)
    oldest.record((health.oldestWaited ?? .zero) / .seconds(1))
    connected.record([.online, .otherProcess].contains(health.connectivity) ? 1 : 0)
    signedOut.record(health.needsCredentials ? 1 : 0)
    guard let times = health.timeToDelivered else { return }
    median.record(times.p50 / .seconds(1))
    slow.record(times.p95 / .seconds(1))
  }
}

import ChatServer
import Foundation
import NIOCore
import Synchronization

/// The metrics of a relay, in the text format of Prometheus. They contain neither names nor contents.
struct MetricsPage: Sendable {
  let relay: RelayServer

  /// Serves `GET /metrics` on the loopback interface until the task is cancelled. It has its own port, because a
  /// proxy on the same machine forwards requests of others.
  ///
  /// - Parameters:
  ///   - port: 0 means any free port.
  ///   - onListening: called once, with the page's address.
  func serve(on port: UInt16, onListening: (String) -> Void) async throws {
    do {
      try await PageServer(environment: relay.environment) { await answer(to: $0) }.run(on: Int(port)) {
        onListening("http://127.0.0.1:\($0)/metrics")
      }
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw Complaint(.unusable, "Port \(port) is in use. Choose another port with --metrics-port.")
    }
  }

  private func answer(to request: PageRequest) async -> PageAnswer {
    guard request.method == .GET, request.path == "/metrics" else { return PageAnswer(status: .notFound) }
    guard let meters = try? await relay.meters() else { return PageAnswer(status: .serviceUnavailable) }
    return PageAnswer(
      status: .ok, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
      body: .data(Data(Self.text(meters).utf8)))
  }

  static func text(_ meters: RelayMeters) -> String {
    let server = meters.server
    var lines: [String] = []
    func add(_ name: String, _ type: String, _ help: String, _ values: [(String, String)]) {
      lines += ["# HELP holdfast_\(name) \(help)", "# TYPE holdfast_\(name) \(type)"]
      lines += values.map { "holdfast_\(name)\($0) \($1)" }
    }
    func add(_ name: String, _ type: String, _ help: String, _ value: some BinaryInteger) {
      add(name, type, help, [("", "\(value)")])
    }
    func add(_ name: String, _ help: String, by label: String, _ counts: [String: Int]) {
      let counts = counts.sorted { $0.key < $1.key }
      add(name, "counter", help, counts.map { ("{\(label)=\"\($0.key)\"}", "\($0.value)") })
    }
    add("accounts", "gauge", "Accounts that may connect.", server.accounts)
    add("sockets", "gauge", "Open sockets, with those that are not clients yet.", meters.sockets)
    add("connections", "gauge", "Connections of accounts.", server.connections)
    add("frames_received_total", "counter", "Frames from clients.", server.received.frames)
    add("frames_sent_total", "counter", "Frames for clients.", server.sent.frames)
    add("bytes_received_total", "counter", "Bytes of the frames from clients.", server.received.bytes)
    add("bytes_sent_total", "counter", "Bytes of the frames for clients.", server.sent.bytes)
    add("refusals_total", "Refused messages, uploads and fetches.", by: "code", server.refusals)
    add("endings_total", "Connections that the server ended.", by: "code", server.endings)
    add("http_responses_total", "Answers to requests without an upgrade.", by: "status", meters.answers)
    add("handshake_timeouts_total", "counter", "Sockets that never became clients.", meters.givenUp)
    add(
      "slow_clients_total", "counter", "Connections that ended because they did not read.", meters.overflows)
    add("database_bytes", "gauge", "Size of the database.", server.databaseBytes)
    add("wal_bytes", "gauge", "Size of the write-ahead log.", server.journalBytes)
    let oldest = server.oldestStream.map { $0 / .seconds(1) } ?? 0
    add(
      "oldest_stream_seconds", "gauge", "Age of the oldest message that is being streamed; 0: none is.",
      [("", String(format: "%.3f", oldest))])
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The metrics of a relay at one moment.
struct RelayMeters: Sendable {
  var server: ServerMeters
  var sockets = 0
  /// The responses without an upgrade, by their status.
  var answers: [String: Int] = [:]
  var givenUp = 0
  var overflows = 0
}

/// Counts the endings of a relay's sockets.
final class RelayTally: Sendable {
  private let counts = Mutex((answers: [String: Int](), overflows: 0))

  var answers: [String: Int] { counts.withLock { $0.answers } }
  var overflows: Int { counts.withLock { $0.overflows } }

  func noteAnswer(_ status: UInt) { counts.withLock { $0.answers["\(status)", default: 0] += 1 } }
  func noteOverflow() { counts.withLock { $0.overflows += 1 } }
}

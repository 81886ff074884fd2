import Foundation
import HoldfastCore
import HoldfastRelay

/// Counters of a server since it was opened, and gauges of its present state.
package struct ServerMeters: Sendable {
  package struct Traffic: Sendable {
    package var frames: Int64 = 0
    package var bytes: Int64 = 0

    mutating func count(_ bytes: Int) {
      frames += 1
      self.bytes += Int64(bytes)
    }
  }

  /// The accounts that may connect.
  package var accounts = 0
  package var connections = 0
  package var received = Traffic()
  package var sent = Traffic()
  /// The refused messages, uploads and fetches, by their code.
  package var refusals: [String: Int] = [:]
  /// The connections that the server ended, by their code.
  package var endings: [String: Int] = [:]
  package var databaseBytes: Int64 = 0
  package var journalBytes: Int64 = 0
  /// The age of the oldest message that is being streamed. Nil when none is.
  package var oldestStream: Duration?
}

extension ChatServer {
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  package func meters() throws -> ServerMeters {
    var meters = counts
    meters.accounts = try accountCount()
    meters.connections = sessions.all.count
    (meters.databaseBytes, meters.journalBytes) = database.sizes
    meters.oldestStream = streams.oldestStart.map { environment.uptime() - $0 }
    return meters
  }

  /// Counts a sent frame, and logs a refusal by its code.
  func note(_ frame: Wire.ServerFrame, bytes: Int, to connection: ConnectionID) {
    counts.sent.count(bytes)
    let code: String? =
      switch frame {
      case .refused(let refusal): refusal.code ?? refusal.kind.rawValue
      case .uploadRefused(let refusal), .fetchRefused(let refusal): refusal.code.rawValue
      default: nil
      }
    guard let code else { return }
    counts.refusals[code, default: 0] += 1
    environment.logger.debug("refused", metadata: ["connection": "\(connection.number)", "code": "\(code)"])
  }
}

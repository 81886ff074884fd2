import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Sends frames and ends connections.
extension ChatServer {
  func send(_ frame: Wire.ServerFrame, to connection: ConnectionID) {
    guard let session = sessions[connection] else { return }
    do {
      let data = try frame.encoded()
      note(frame, bytes: data.count, to: connection)
      session.send(.frame(data))
    } catch {
      environment.logger.error("A frame could not be encoded: \(type(of: error))")
      sessions.remove(connection)
      session.send(.close)
    }
  }

  /// Pushes new events to the live connections of all accounts that may see them, including the sender's. The echo
  /// marks a message as delivered on the sender's other devices, and on the sending device if the receipt is lost.
  ///
  /// A client that receives a cursor never asks for events before it. The entries are therefore sent directly only
  /// if their cursors continue from the published one (rule H11).
  func push(_ entries: [LogEntry]) {
    guard let first = entries.first, let last = entries.last else { return }
    let followsOn = first.cursor == publishedCursor + 1
    publishedCursor = last.cursor
    guard followsOn else { return pushFromLog() }
    for session in sessions.live(among: entries.lazy.flatMap(\.audience)) {
      let own = entries.filter { $0.audience.contains(session.account) }
      for page in pages(of: own) {
        let after = sessions[session.id]?.cursor
        guard let cursor = page.last?.cursor else { continue }
        sessions.update(session.id) { $0.cursor = cursor }
        send(
          .events(.init(after: after, cursor: cursor, items: page.map(\.item), more: false)),
          to: session.id)
      }
    }
  }

  /// Sends every live connection the events of the log after its place. The log has events that this server did not
  /// publish: another process wrote them, or a write failed after its commit.
  private func pushFromLog() {
    for id in sessions.all {
      guard let session = sessions[id], session.phase == .live else { continue }
      sendLog(to: session, after: session.cursor)
    }
  }

  private func pages(of entries: [LogEntry]) -> [[LogEntry]] {
    var pages: [[LogEntry]] = []
    var page: [LogEntry] = []
    var size = PageSize(limits: limits)
    for entry in entries {
      if !size.add(entry.item) {
        pages.append(page)
        page = []
        size = PageSize(limits: limits)
        _ = size.add(entry.item)
      }
      page.append(entry)
    }
    return page.isEmpty ? pages : pages + [page]
  }

  /// Sends the reason, and closes the connection.
  func fail(
    _ connection: ConnectionID, _ code: Wire.Failure.Code, _ explanation: String,
    retryAfter: Duration? = nil
  ) {
    send(
      .failure(
        .init(code: code, explanation: explanation, retryAfter: retryAfter?.wireMilliseconds)),
      to: connection)
    guard let session = sessions.remove(connection) else { return }
    session.send(.close)
    counts.endings[code.rawValue, default: 0] += 1
    environment.logger.debug(
      "ended by the server", metadata: ["connection": "\(connection.number)", "code": "\(code.rawValue)"])
  }

  /// Takes a token from the account's bucket. Returns the time to wait when the bucket is empty.
  func charge(_ account: UserID) -> Duration? {
    buckets.charge(account, now: environment.uptime())
  }

  /// Ends the connection after a failed read or write of the storage. The client reconnects later. After a power
  /// loss the server sends nothing.
  func storageFailed(_ error: any Error, on connection: ConnectionID) {
    logStorage(error)
    guard !isStopped else { return }
    fail(connection, .unavailable, "The server's storage failed.", retryAfter: limits.storageRetryAfter)
  }

  /// Logs only the code of a storage failure, because SQLite's message may quote a text.
  func logStorage(_ error: any Error) {
    switch error {
    case is ServerDatabase.PowerLost: isStopped = true
    case let error as DatabaseError:
      environment.logger.error("Storage failed: SQLite \(error.extendedResultCode.rawValue)")
    default: environment.logger.error("Storage failed: \(type(of: error))")
    }
  }

  func throwingServerError<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as ServerError {
      throw error
    } catch let error as DatabaseError {
      logStorage(error)
      throw ServerError(storage: error)
    } catch is ServerDatabase.PowerLost {
      isStopped = true
      throw ServerError.stopped
    } catch {
      logStorage(error)
      throw ServerError(.storageFailed, "The database failed (\(type(of: error))). Check the disk.")
    }
  }
}

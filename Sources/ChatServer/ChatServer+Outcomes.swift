import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastTransport

extension ChatServer {
  /// Answers with the outcome of a request, from the log and from the messages that are being streamed.
  ///
  /// ```
  /// the asker is no member of the conversation ──► unknown
  /// a message of the conversation answers it ────► finished
  /// a message that answers it is being streamed ─► running
  /// otherwise ───────────────────────────────────► unknown
  /// ```
  ///
  /// A query that exceeds the rate limit, or that the storage cannot answer now, gets no answer. The client repeats
  /// it.
  func answer(_ ask: Wire.Ask, to session: Session) {
    guard charge(session.account) == nil, MessageID.isWellFormed(ask.request),
      MessageID.isWellFormed(ask.conversation)
    else { return }
    do {
      let outcome: ProcessingRequest.Outcome = try database.read { db in
        guard try Conversations(db: db).isMember(session.account, of: ask.conversation) else {
          return .unknown
        }
        let isAnswered = try Messages(db: db).hasAnswer(to: ask.request, in: ask.conversation)
        return isAnswered ? .finished : isBeingAnswered(ask, for: session) ? .running : .unknown
      }
      send(.answer(.init(number: ask.number, outcome)), to: session.id)
    } catch {
      logStorage(error)
    }
  }

  /// Whether another connection writes an answer. A stream whose connection has ended may never go on, and the asker's
  /// own streams are cut off: it would not ask otherwise.
  private func isBeingAnswered(_ ask: Wire.Ask, for session: Session) -> Bool {
    streams.writers(
      answering: RequestID(rawValue: ask.request), in: ConversationID(rawValue: ask.conversation)
    ).contains { $0 != session.id && sessions[$0] != nil }
  }
}

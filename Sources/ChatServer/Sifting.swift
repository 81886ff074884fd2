import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// One frame from a connection, whose messages somebody in front of the server looks at first.
  ///
  /// It is one step of the server: nothing else is taken in between. So what is held back is certainly not here, as
  /// long as it was not among `accepted`.
  ///
  /// - Parameter pass: called for a frame of messages, with those of their IDs and of their predecessors' that the
  ///   server has; gives the messages that it is to take.
  package func receive(
    _ frame: Data, on connection: ConnectionID,
    passing pass: (_ messages: [Wire.Outgoing], _ accepted: Set<String>) -> [Wire.Outgoing]
  ) {
    guard case .send(let send) = try? JSONDecoder().decode(Wire.ClientFrame.self, from: frame),
      let accepted = try? accepted(among: send.messages)
    else { return receive(frame, on: connection) }
    let passed = pass(send.messages, accepted)
    guard passed != send.messages else { return receive(frame, on: connection) }
    guard !passed.isEmpty,
      let rest = try? JSONEncoder().encode(Wire.ClientFrame.send(.init(messages: passed)))
    else { return }
    receive(rest, on: connection)
  }

  private func accepted(among messages: [Wire.Outgoing]) throws -> Set<String> {
    let ids = Set(messages.map(\.id) + messages.compactMap(\.predecessor)).filter(MessageID.isWellFormed)
    return try database.read { db in
      let stored = Messages(db: db)
      return try ids.filter { try stored.place(of: $0) != nil }
    }
  }
}

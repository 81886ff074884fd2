import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Receives one frame from a connection, filtered by a caller in front of the server.
  ///
  /// The filtering and the frame are one step of the server, with no other frame in between. A message that was
  /// filtered out is therefore not on the server, unless its ID was among `accepted`. This does not hold for
  /// operations, which are never among `accepted`.
  ///
  /// - Parameter pass: called for a frame of messages, with the accepted IDs among its messages and their
  ///   predecessors. Returns the messages that the server is to process.
  package func receive(
    _ frame: Data, on connection: ConnectionID,
    passing pass: (_ messages: [Wire.Outgoing], _ accepted: Set<String>) -> [Wire.Outgoing]
  ) async {
    guard case .send(let send) = try? JSONDecoder().decode(Wire.ClientFrame.self, from: frame),
      let accepted = try? accepted(among: send.messages)
    else { return await receive(frame, on: connection) }
    let passed = pass(send.messages, accepted)
    guard passed != send.messages else {
      _ = take(frame, on: connection)
      return
    }
    guard !passed.isEmpty,
      let rest = try? JSONEncoder().encode(Wire.ClientFrame.send(.init(messages: passed)))
    else { return }
    _ = take(rest, on: connection)
  }

  private func accepted(among messages: [Wire.Outgoing]) throws -> Set<String> {
    let ids = Set(messages.map(\.id) + messages.compactMap(\.predecessor)).filter(MessageID.isWellFormed)
    return try database.read { db in
      let stored = Messages(db: db)
      return try ids.filter { try stored.place(of: $0) != nil }
    }
  }
}

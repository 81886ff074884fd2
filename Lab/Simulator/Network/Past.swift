import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting

/// Messages that were sent before the world began, for worlds in which phones keep only the last messages. There are
/// more of them than any phone has to keep.
enum Past {
  static let conversation: ConversationID = "everyone"
  private static let count = 110
  private static let senders: [UserID] = ["alice", "bob"]

  /// Records all past messages as sent.
  static func note(in promises: Promises) {
    for message in messages {
      promises.noteSent(
        Promises.Sent(
          id: message.id, text: message.text, sender: message.sender, device: "past",
          conversation: conversation))
    }
  }

  /// Stores the past messages on a server that does not have them, in their order.
  static func store(on chat: ChatServer, members: [UserID]) async throws {
    guard try await !chat.hasAccepted(messages[count - 1].id.rawValue) else { return }
    for sender in senders {
      let connection = try await chat.connect(token: SimulatedServer.token(of: sender)) { _ in }
      await chat.receive(
        try Wire.sorted(Wire.ClientFrame.hello(.init(version: Wire.version, after: nil))), on: connection)
      let send = Wire.Send(
        messages: messages.filter { $0.sender == sender }.map { message in
          Wire.Outgoing(
            id: message.id.rawValue, conversation: conversation.rawValue, members: members.map(\.rawValue),
            title: nil, role: "user", content: MessageContent(message.text), at: 0, predecessor: nil,
            handover: 0
          )
        })
      await chat.receive(try Wire.sorted(Wire.ClientFrame.send(send)), on: connection)
      await chat.disconnect(connection)
    }
    // A full disk has not stored them all: the next start of the server tries again.
    guard try await chat.hasAccepted(messages[count - 1].id.rawValue) else { throw Missing() }
  }

  /// One of the past messages.
  static func any(_ random: inout SeededRandom) -> MessageID { random.pick(messages)!.id }

  private struct Missing: Error {}

  private static let messages = (0..<count).map { number in
    (
      id: MessageID(rawValue: "past-\(number)"), text: "past \(number)",
      sender: senders[number * senders.count / count]
    )
  }
}

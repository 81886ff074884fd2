import Foundation
import Holdfast
import HoldfastRelay

let egAccounts: [UserID] = ["alice", "bob", "carol"]

/// A message of a conversation between Alice and Bob. It creates the conversation, as every message with members
/// does. With a `handover` of 0, the client that sends it gives it the next number.
func eg(
  _ id: String, in conversation: String = "c", members: [String]? = ["alice", "bob"], title: String? = nil,
  role: String = "user", body: String = "hello", reasoning: String? = nil, predecessor: String? = nil,
  handover: Int64 = 0, replyTo: String? = nil, formatting: Data? = nil
) -> Wire.Outgoing {
  Wire.Outgoing(
    id: id, conversation: conversation, members: members, title: title, role: role,
    content: MessageContent(
      body, formatting: formatting, reasoning: reasoning, replyTo: replyTo.map(MessageID.init(rawValue:))),
    at: 5, predecessor: predecessor,
    handover: handover)
}

func egPiece(
  _ id: String, _ sequence: Int64, _ text: String = "t", in conversation: String = "c",
  sender: String? = nil, role: String = "assistant"
) -> Wire.Piece {
  Wire.Piece(
    id: id, conversation: conversation, sender: sender, role: role, sequence: sequence, text: text,
    reasoning: nil)
}

extension [Wire.ServerFrame] {
  var receipts: [Wire.ReceiptItem] {
    flatMap { frame -> [Wire.ReceiptItem] in if case .receipts(let frame) = frame { frame.items } else { [] }
    }
  }
  var refusals: [Wire.Refused] { compactMap { if case .refused(let frame) = $0 { frame } else { nil } } }
  var pages: [Wire.Events] { compactMap { if case .events(let frame) = $0 { frame } else { nil } } }
  var pieces: [Wire.Piece] { compactMap { if case .piece(let frame) = $0 { frame } else { nil } } }
  var failures: [Wire.Failure] { compactMap { if case .failure(let frame) = $0 { frame } else { nil } } }
  var messages: [Wire.MessageItem] { pages.flatMap(\.items).compactMap(\.message) }
  var conversations: [Wire.ConversationItem] { pages.flatMap(\.items).compactMap(\.conversation) }
}

import Foundation
import HoldfastCore

// A message and its content are one JSON object on the wire.

extension Wire.Outgoing: Codable {
  package init(from decoder: any Decoder) throws {
    let frame = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try frame.decode(String.self, forKey: "id"),
      conversation: try frame.decode(String.self, forKey: "conversation"),
      members: try frame.decodeIfPresent([String].self, forKey: "members"),
      title: try frame.decodeIfPresent(String.self, forKey: "title"),
      role: try frame.decode(String.self, forKey: "role"),
      assistant: try frame.decodeIfPresent(String.self, forKey: "assistant"),
      content: try MessageContent(frame),
      at: try frame.decode(Int64.self, forKey: "at"),
      attachments: try frame.decodeIfPresent([Wire.AttachmentItem].self, forKey: "attachments"),
      predecessor: try frame.decodeIfPresent(String.self, forKey: "predecessor"),
      handover: try frame.decode(Int64.self, forKey: "handover"),
      operation: try frame.decodeIfPresent(Wire.Operation.self, forKey: "operation"))
  }

  package func encode(to encoder: any Encoder) throws {
    var frame = encoder.container(keyedBy: FieldKey.self)
    try frame.encode(id, forKey: "id")
    try frame.encode(conversation, forKey: "conversation")
    try frame.encodeIfPresent(members, forKey: "members")
    try frame.encodeIfPresent(title, forKey: "title")
    try frame.encode(role, forKey: "role")
    try frame.encodeIfPresent(assistant, forKey: "assistant")
    try content.encode(into: &frame)
    try frame.encode(at, forKey: "at")
    try frame.encodeIfPresent(attachments, forKey: "attachments")
    try frame.encodeIfPresent(predecessor, forKey: "predecessor")
    try frame.encode(handover, forKey: "handover")
    try frame.encodeIfPresent(operation, forKey: "operation")
  }
}

extension Wire.MessageItem: Codable {
  package init(from decoder: any Decoder) throws {
    let frame = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try frame.decode(String.self, forKey: "id"),
      conversation: try frame.decode(String.self, forKey: "conversation"),
      sender: try frame.decode(String.self, forKey: "sender"),
      role: try frame.decode(String.self, forKey: "role"),
      assistant: try frame.decodeIfPresent(String.self, forKey: "assistant"),
      content: try MessageContent(frame),
      order: try frame.decode(Int64.self, forKey: "order"),
      at: try frame.decode(Int64.self, forKey: "at"),
      revision: try frame.decodeIfPresent(Int64.self, forKey: "revision"),
      editedAt: try frame.decodeIfPresent(Int64.self, forKey: "editedAt"),
      deletedAt: try frame.decodeIfPresent(Int64.self, forKey: "deletedAt"),
      reactions: try frame.decodeIfPresent([Wire.ReactionItem].self, forKey: "reactions"),
      attachments: try frame.decodeIfPresent([Wire.AttachmentItem].self, forKey: "attachments"))
  }

  package func encode(to encoder: any Encoder) throws {
    var frame = encoder.container(keyedBy: FieldKey.self)
    try frame.encode(id, forKey: "id")
    try frame.encode(conversation, forKey: "conversation")
    try frame.encode(sender, forKey: "sender")
    try frame.encode(role, forKey: "role")
    try frame.encodeIfPresent(assistant, forKey: "assistant")
    try content.encode(into: &frame)
    try frame.encode(order, forKey: "order")
    try frame.encode(at, forKey: "at")
    try frame.encodeIfPresent(revision, forKey: "revision")
    try frame.encodeIfPresent(editedAt, forKey: "editedAt")
    try frame.encodeIfPresent(deletedAt, forKey: "deletedAt")
    try frame.encodeIfPresent(reactions, forKey: "reactions")
    try frame.encodeIfPresent(attachments, forKey: "attachments")
  }
}

import Foundation
import Holdfast
import HoldfastHTTP
import HoldfastTesting
import HoldfastTransport

/// The messages of a room, built from its events. It does not use the transport, which it checks.
struct MatrixRecord {
  static let idField = "dev.holdfast.id"

  private struct Message {
    var event: String
    var id: String
    var sender: String
    var text: String
    var files: [String]
    var edited = 0
  }

  private struct Reaction: Hashable {
    var event: String
    var target: String
    var sender: String
    var value: String
  }

  private var order: [Message] = []
  private var reactions: [Reaction] = []

  /// Applies the next event of the room. A redacted event has no content, and changes nothing.
  mutating func apply(_ event: JSONFields) {
    guard let id = event.text("event_id"), let sender = event.text("sender"),
      let content = event.object("content")
    else { return }
    let relation = content.object("m.relates_to")
    let target = relation?.text("event_id") ?? ""
    switch (event.text("type"), relation?.text("rel_type")) {
    case ("m.room.message", "m.replace"):
      let (time, text) = (
        event.integer("origin_server_ts") ?? 0, content.object("m.new_content")?.text("body")
      )
      for index in order.indices where order[index].event == target && order[index].sender == sender {
        guard let text, time >= order[index].edited else { continue }
        (order[index].text, order[index].edited) = (text, time)
      }
    case ("m.room.message", _):
      guard let text = content.text("dev.holdfast.text") ?? content.text("body") else { return }
      order.append(
        Message(
          event: id, id: content.text(Self.idField) ?? id, sender: sender, text: text,
          files: content.objects("dev.holdfast.attachments").map { $0.text("sha256") ?? "" }))
    case ("m.reaction", "m.annotation"):
      reactions.append(
        Reaction(event: id, target: target, sender: sender, value: relation?.text("key") ?? ""))
    default: break
    }
  }

  var messages: [TransportConformance.Record] {
    order.map { message in
      TransportConformance.Record(
        id: MessageID(rawValue: message.id), sender: UserID(rawValue: message.sender), text: message.text,
        reactions: reactions.filter { $0.target == message.event }.map {
          IncomingMessage.Reaction($0.value, from: UserID(rawValue: $0.sender))
        }, attachments: message.files.map(ChatAttachment.Checksum.init(rawValue:)))
    }
  }
}

import Foundation
import HoldfastCore
import HoldfastRelay
import HoldfastTransport

/// Examples for tests of the wire format. Tests name them `eg`.
package enum FrameExample {
  package static let at: Int64 = 1_700_000_000_000
  package static let date = Date(timeIntervalSince1970: 1_700_000_000)

  package static func cursor(_ place: Int64) -> SyncCursor { SyncCursor(rawValue: String(place)) }

  package static func item(
    _ order: Int64, id: String? = nil, sender: String = "bob", role: String = "user", at: Int64 = at
  ) -> Wire.MessageItem {
    Wire.MessageItem(
      id: id ?? "m\(order)", conversation: "c", sender: sender, role: role, content: MessageContent("hi"),
      order: order, at: at)
  }

  package static func incoming(_ order: Int64) -> IncomingMessage {
    IncomingMessage(
      id: MessageID(rawValue: "m\(order)"), conversation: "c", sender: "bob", content: MessageContent("hi"),
      order: order,
      createdAt: date)
  }

  package static func page(after: Int64?, cursor: Int64, _ orders: [Int64], more: Bool = false) -> Wire.Events
  {
    Wire.Events(after: after, cursor: cursor, items: orders.map { .init(message: item($0)) }, more: more)
  }

  package static func outgoing(_ number: Int64, body: String = "hi") -> OutgoingMessage {
    OutgoingMessage(
      id: MessageID(rawValue: "m\(number)"), conversation: "c", content: MessageContent(body),
      createdAt: date,
      predecessor: number > 1 ? MessageID(rawValue: "m\(number - 1)") : nil, transmission: number)
  }
}

import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting

/// Frames that name the phone's local conversation. No server has it, so anything that a server says about it is
/// forged.
extension FrameForger {
  /// - Returns: a frame to deliver before the real one, or instead of it. Nil when there is nothing to forge.
  func intrusion(
    into promise: DevicePromise, real: Data, _ random: inout SeededRandom
  ) -> (kind: String, frame: Wire.ServerFrame)? {
    guard promise.isMade, let name = random.pick(promise.ids)?.rawValue else { return nil }
    let row = random.pick(promise.rows)
    let known = row?.id.rawValue ?? Self.mark
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return (
        "a piece on the device alone",
        .piece(
          .init(
            id: random.pick([Self.mark, known])!, conversation: name, sender: Self.mark, role: "user",
            sequence: 0, text: Self.mark, reasoning: nil))
      )
    case 1:
      return (
        "a receipt on the device alone",
        .receipts(.init(items: [.init(id: known, conversation: name, order: 1, at: 0, revision: 1)]))
      )
    default:
      guard case .events(var page)? = try? JSONDecoder().decode(Wire.ServerFrame.self, from: real) else {
        return nil
      }
      let item = random.pick(items(in: name, known: known, row?.sender.rawValue ?? Self.mark))!
      page.items.insert(item, at: Int.random(in: 0...page.items.count, using: &random))
      return ("a page about the device alone", .events(page))
    }
  }

  private func items(in name: String, known: String, _ sender: String) -> [Wire.Item] {
    var edited = item(known, of: sender, in: name, order: 1)
    edited.message?.revision = 1 << 40
    edited.message?.editedAt = 1
    var deleted = edited
    deleted.message?.deletedAt = 1
    return [
      item("\(Self.mark) \(name)", of: Self.mark, in: name, order: 1),
      item("\(Self.mark) \(name)", of: user.rawValue, in: name, order: 1),
      edited, deleted,
      Wire.Item(conversation: .init(id: name, title: Self.mark, members: [user.rawValue, Self.mark])),
      Wire.Item(readMark: .init(conversation: name, reader: Self.mark, message: known, order: 1)),
      Wire.Item(readMark: .init(conversation: name, reader: user.rawValue, message: known, order: 1)),
    ]
  }
}

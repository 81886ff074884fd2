import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting

/// Makes frames that no honest peer sends. Every receiver can recognize them as forged, and must.
///
/// Forgeries that cannot be recognized are left out. A client trusts a well-formed receipt for a message in flight,
/// and a page that continues from its place, because it has no other source.
struct FrameForger: Sendable {
  struct Forgery: Sendable {
    /// The frame's description in the world's story.
    var kind: String
    var frame: Data
    /// Whether the frame replaces the real frame, and contains all of its content.
    var replaces = false
  }

  /// The word in every forged text. No user ever sees it.
  static let mark = "mallory"

  let device: String
  let user: UserID
  let conversations: [ConversationID]
  let world: WorldState
  let promises: Promises
  /// The rows that the phone shows of a conversation.
  let rows: @Sendable (ConversationID) -> [MessageRow]

  /// Returns a frame to the phone, to deliver before a real frame that has just arrived.
  ///
  /// - Parameter past: the frames that have arrived on this connection before.
  func forgedFrame(before real: Data, after past: [Data]) -> Forgery {
    let isQuiet = promises.actsInProgress(on: device).isEmpty
    let stopped = isQuiet ? promises.stopped(on: device) : []
    // Operations that the server has refused. None of them can be in flight.
    let refused: [(id: MessageID, conversation: ConversationID)] =
      isQuiet
      ? conversations.flatMap { conversation in
        rows(conversation).compactMap { row in
          row.operation.flatMap { change in
            change.status.failed.map(\.mayHaveArrived) == false ? (change.id, conversation) : nil
          }
        }
      } : []
    let delivered = conversations.flatMap { conversation in
      rows(conversation).filter { $0.status.state == .delivered }
        .map { (row: $0, conversation: conversation) }
    }
    let kept = world.plan.onDevice > 0 ? promises.devices[device] : nil
    return world.scheduler.draw { random in
      if let kept, random.chance(0.4), let forged = intrusion(into: kept, real: real, &random),
        let frame = try? Wire.sorted(forged.frame)
      {
        let replaces = if case .events = forged.frame { true } else { false }
        return Forgery(kind: forged.kind, frame: frame, replaces: replaces)
      }
      let known = random.pick(delivered)
      let conversation = random.pick(conversations)!.rawValue
      let forged: (kind: String, frame: Wire.ServerFrame)? =
        switch Int.random(in: 0..<15, using: &random) {
        case 0:
          ("a page that does not follow", .events(page(known?.row, in: conversation, &random)))
        case 1, 2:
          known.flatMap { smuggle($0.row, in: $0.conversation, into: real, &random) }.map {
            ("a page with forgeries among its items", .events($0))
          }
        case 3: ("receipts that cannot be", .receipts(receipts(known?.row, in: conversation, &random)))
        case 4, 5:
          random.pick(stopped).flatMap(sent).map { message in
            (
              "a receipt for \(message.id) that has not left",
              .receipts(
                .init(items: [
                  .init(id: message.id.rawValue, conversation: message.conversation.rawValue, order: 9, at: 0)
                ]))
            )
          }
        case 6: ("a refusal of another hand-over", .refused(refusal(known?.row, &random)))
        case 7: ("a piece that belongs to nothing", .piece(piece(known?.row, in: conversation, &random)))
        case 9: ("a thousand items of nothing", .events(crowd(in: conversation, &random)))
        case 10:
          random.pick(refused).map { change in
            (
              "a receipt for \(change.id) that was refused",
              .receipts(
                .init(items: [
                  .init(
                    id: change.id.rawValue, conversation: change.conversation.rawValue, order: 1, at: 0,
                    revision: random.pick([nil, 0, 1, 1 << 59])!)
                ]))
            )
          }
        case 11:
          (
            "an answer to no question",
            .answer(
              .init(
                number: random.pick(Self.unaskedNumbers)!,
                outcome: random.pick(["finished", "running", "unknown", Self.mark])!))
          )
        case 8: ("a pong from far ahead", .pong(.init(cursor: random.pick([.max, .min, -1, 1 << 60])!)))
        default: nil
        }
      if forged == nil, random.chance(0.4), let frame = random.pick(past) {
        return Forgery(kind: "a frame of before", frame: frame)
      }
      guard let forged, let frame = try? Wire.sorted(forged.frame) else {
        let garbage = Garbage.drawn(from: &random, spoiling: real) {
          (try? JSONDecoder().decode(Wire.ServerFrame.self, from: $0)) != nil
        }
        return Forgery(kind: garbage.kind, frame: garbage.frame)
      }
      var replaces = false
      if case .events(let page) = forged.frame { replaces = page.after.map { $0 < Self.farAhead } ?? true }
      return Forgery(kind: forged.kind, frame: frame, replaces: replaces)
    }
  }

  private static let farAhead: Int64 = 1 << 40
  /// Numbers that no phone uses for a request. They count from 1.
  static let unaskedNumbers: [Int64] = [0, -1, .min, .max, 1 << 40]

  private func sent(_ id: MessageID) -> Promises.Sent? { promises.sent.first { $0.id == id } }

  /// A page that begins far beyond the server's last page.
  private func page(
    _ row: MessageRow?, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Events {
    let after = Self.farAhead + Int64.random(in: 0...1000, using: &random)
    let id = random.chance(0.5) ? row?.id.rawValue : nil
    return Wire.Events(
      after: after, cursor: random.pick([after, after + 1, .max])!,
      items: [item(id ?? Self.mark, of: Self.mark, in: conversation, order: 1)], more: random.chance(0.5))
  }

  /// The real page with one more item, which contradicts a stored message, or is invalid.
  private func smuggle(
    _ row: MessageRow, in conversation: ConversationID, into real: Data, _ random: inout SeededRandom
  ) -> Wire.Events? {
    guard case .events(var page)? = try? JSONDecoder().decode(Wire.ServerFrame.self, from: real) else {
      return nil
    }
    let (id, name) = (row.id.rawValue, conversation.rawValue)
    let forged = random.pick([
      item(id, of: Self.mark, in: name, order: 1),
      item(id, of: row.sender.rawValue, in: Self.mark, order: 1),
      item(id, of: row.sender.rawValue, in: name, order: 1_000_000),
      state(of: id, from: row.sender.rawValue, in: name, &random),
      state(of: id, from: row.sender.rawValue, in: name, &random),
      item("", of: row.sender.rawValue, in: name, order: 1),
      item(Self.mark, of: "", in: name, order: 1),
      item(Self.mark, of: row.sender.rawValue, in: String(repeating: "c", count: 256), order: 1),
      item(Self.mark, of: row.sender.rawValue, in: name, order: random.pick([0, -1, .min])!),
      item(Self.mark, of: row.sender.rawValue, in: name, order: .max),
      item(Self.mark, of: row.sender.rawValue, in: name, order: 1, at: .max),
      item(Self.mark, of: row.sender.rawValue, in: name, order: 1, role: Self.mark),
      Wire.Item(conversation: .init(id: "\u{1}", title: Self.mark, members: [])),
      Wire.Item(),
    ])!
    page.items.insert(forged, at: Int.random(in: 0...page.items.count, using: &random))
    return page
  }

  func item(
    _ id: String, of sender: String, in conversation: String, order: Int64, at: Int64 = 0,
    role: String = "user"
  ) -> Wire.Item {
    Wire.Item(
      message: .init(
        id: id, conversation: conversation, sender: sender, role: role,
        content: MessageContent(Self.mark), order: order, at: at))
  }

  /// A forged state of a stored message. No real later state of the message could equal it.
  private func state(
    of id: String, from sender: String, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Item {
    var item = item(id, of: sender, in: conversation, order: 1)
    item.message?.revision = random.pick([nil, 0, -1, .min, .max, 1 << 60])!
    item.message?.editedAt = random.pick([nil, 0, .min, .max])!
    item.message?.deletedAt = random.pick([nil, nil, 0, .max])!
    item.message?.reactions = random.pick([
      nil, [.init(value: Self.mark, senders: [Self.mark])],
      [
        .init(value: "", senders: []),
        .init(value: String(repeating: "👍", count: 100), senders: ["", "\u{0}"]),
      ],
    ])!
    return item
  }

  /// A page that begins far ahead, with a thousand items that are empty, invalid or forged.
  private func crowd(in conversation: String, _ random: inout SeededRandom) -> Wire.Events {
    let one = random.pick([
      Wire.Item(), item("", of: "", in: "", order: 0),
      item(Self.mark, of: Self.mark, in: conversation, order: 1),
    ])!
    return Wire.Events(
      after: Self.farAhead, cursor: .max, items: Array(repeating: one, count: 1000), more: true)
  }

  private func receipts(
    _ row: MessageRow?, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Receipts {
    let own = random.pick(promises.sent.filter { $0.device == device })
    let others = random.pick(promises.sent.filter { $0.device != device })
    let changes = conversations.flatMap { conversation in
      rows(conversation).compactMap { $0.operation?.id.rawValue }
    }
    let change = random.pick(changes) ?? ""
    return Wire.Receipts(items: [
      .init(id: Self.mark, conversation: conversation, order: 1, at: 0),
      .init(id: row?.id.rawValue ?? "", conversation: conversation, order: 1, at: 0),
      .init(id: others?.id.rawValue ?? "", conversation: conversation, order: 1, at: 0),
      .init(id: own?.id.rawValue ?? "", conversation: Self.mark, order: 1, at: 0),
      .init(id: change, conversation: Self.mark, order: 1, at: 0, revision: 1),
      .init(
        id: change, conversation: conversation, order: 1, at: 0,
        revision: random.pick([-1, .min, .max, 1 << 60])!),
      .init(
        id: own?.id.rawValue ?? "", conversation: own?.conversation.rawValue ?? "",
        order: random.pick([0, -1, .min, .max])!, at: 0),
      .init(
        id: own?.id.rawValue ?? "", conversation: own?.conversation.rawValue ?? "", order: 1,
        at: random.pick([.min, .max])!),
    ])
  }

  private func refusal(_ row: MessageRow?, _ random: inout SeededRandom) -> Wire.Refused {
    let own = random.pick(promises.sent.filter { $0.device == device })
    return Wire.Refused(
      id: random.pick([own?.id.rawValue ?? "", row?.id.rawValue ?? "", Self.mark])!,
      handover: random.pick([0, -1, .min, .max, 1 << 40])!,
      kind: random.pick([.gap, .busy, .transient, .rejected])!, retryAfter: random.pick([nil, .min, .max])!,
      code: random.pick([nil, Self.mark, "interruptedTooOften"])!, explanation: Self.mark)
  }

  private func piece(
    _ row: MessageRow?, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Piece {
    let complete = row?.id.rawValue ?? ""
    let pieces: [(id: String, conversation: String, sequence: Int64)] = [
      (complete, conversation, 0), (complete, conversation, 1), (Self.mark, Self.mark, 0),
      (Self.mark, conversation, random.pick([7, -1, .min, .max])!),
    ]
    let (id, conversation, sequence) = random.pick(pieces)!
    return Wire.Piece(
      id: id, conversation: conversation, sender: random.pick([nil, "", Self.mark, user.rawValue])!,
      role: random.pick(["user", "assistant", Self.mark])!, sequence: sequence, text: Self.mark,
      reasoning: nil)
  }
}

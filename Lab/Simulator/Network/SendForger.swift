import ChatServer
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import HoldfastTesting

extension FrameForger {
  /// Returns a frame to the server on this phone's connection, to deliver before a real frame that has just arrived
  /// there.
  func forgedSend(in real: Data, to chat: ChatServer) async throws -> Forgery {
    var stored: [Wire.MessageItem] = []
    for conversation in conversations { stored += (try? await chat.messages(in: conversation)) ?? [] }
    return world.scheduler.draw { [stored] random in
      let known = random.pick(stored)
      let conversation = random.pick(conversations)!.rawValue
      let forged: (kind: String, frame: Wire.ClientFrame)? =
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: known.map { ("another text for \($0.id)", .send(taken($0, in: conversation, &random))) }
        case 2, 3: ("a message to where it has no place", .send(elsewhere(&random)))
        case 4: ("a message that makes no sense", .send(absurd(in: conversation, &random)))
        case 5: ("a piece of nothing", .piece(piece(known, in: conversation, &random)))
        case 6: ("a second hello", .hello(.init(version: random.pick([0, 1, 2, .max])!, after: -1)))
        case 8, 9:
          random.pick(stored.filter { $0.sender != user.rawValue }).map {
            ("what only another may do to \($0.id)", .send(change(of: $0, &random)))
          }
        case 10: known.map { ("what cannot be done to \($0.id)", .send(nonsense(on: $0, &random))) }
        case 11: ("a question about nothing", .ask(question(in: conversation, &random)))
        case 7: ("a place before the first", .sync(.init(after: random.pick([-1, .min])!)))
        default: nil
        }
      guard let forged, let frame = try? Wire.sorted(forged.frame) else {
        let garbage = Garbage.drawn(from: &random, spoiling: real) {
          (try? JSONDecoder().decode(Wire.ClientFrame.self, from: $0)) != nil
        }
        return Forgery(kind: garbage.kind, frame: garbage.frame)
      }
      return Forgery(kind: forged.kind, frame: frame)
    }
  }

  /// A transmission number that no phone reaches.
  private static let transmission: Int64 = -7

  private func message(
    _ id: String, in conversation: String, members: [String]? = nil, role: String = "user",
    body: String = mark, at: Int64 = 0, predecessor: String? = nil
  ) -> Wire.Outgoing {
    Wire.Outgoing(
      id: id, conversation: conversation, members: members, title: Self.mark, role: role,
      content: MessageContent(body), at: at, predecessor: predecessor, handover: Self.transmission)
  }

  /// A message under the ID of a message that the server has, from any sender.
  private func taken(
    _ known: Wire.MessageItem, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Send {
    let name = random.pick([known.conversation, conversation, Self.mark])!
    return Wire.Send(messages: [message(known.id, in: name, members: random.pick([nil, [user.rawValue]])!)])
  }

  /// An edit or a deletion of another user's message.
  private func change(of known: Wire.MessageItem, _ random: inout SeededRandom) -> Wire.Send {
    operation(
      random.pick(["edit", "delete"])!, on: known.id, in: known.conversation, body: Self.mark, &random)
  }

  private func nonsense(on known: Wire.MessageItem, _ random: inout SeededRandom) -> Wire.Send {
    let (kind, target, conversation, body) = random.pick([
      (Self.mark, known.id, known.conversation, Self.mark),
      ("edit", Self.mark, known.conversation, Self.mark),
      ("edit", known.id, Self.mark, Self.mark), ("edit", known.id, known.conversation, " \n"),
      ("react", known.id, known.conversation, ""), ("react", known.id, known.conversation, "\u{7}"),
      ("react", known.id, known.conversation, String(repeating: "m", count: 65)),
      ("react", "", known.conversation, Self.mark), ("delete", "\u{0}", known.conversation, ""),
    ])!
    return operation(kind, on: target, in: conversation, body: body, &random)
  }

  private func operation(
    _ kind: String, on target: String, in conversation: String, body: String,
    _ random: inout SeededRandom
  ) -> Wire.Send {
    let id = Self.mark + String(Int.random(in: 0...9, using: &random))
    var message = message(id, in: conversation, body: body)
    message.operation = Wire.Operation(kind: kind, target: target)
    return Wire.Send(messages: [message])
  }

  private func elsewhere(_ random: inout SeededRandom) -> Wire.Send {
    let name = Self.mark + String(Int.random(in: 0...9, using: &random))
    let members = random.pick([nil, [], [Self.mark], [user.rawValue, Self.mark], [user.rawValue, ""]])!
    return Wire.Send(messages: [message(name, in: name, members: members)])
  }

  private func absurd(in conversation: String, _ random: inout SeededRandom) -> Wire.Send {
    let id = Self.mark + String(Int.random(in: 0...9, using: &random))
    func one(_ message: Wire.Outgoing) -> Wire.Send { Wire.Send(messages: [message]) }
    return switch Int.random(in: 0..<10, using: &random) {
    case 0: one(message("", in: conversation))
    case 1: one(message(String(repeating: "i", count: 256), in: conversation))
    case 2: one(message("\u{0}", in: conversation))
    case 3: one(message(id, in: ""))
    case 4: one(message(id, in: "\u{0}", members: [user.rawValue]))
    case 5: one(message(id, in: conversation, role: Self.mark))
    case 6: one(message(id, in: conversation, body: String(repeating: "m", count: 100_001)))
    case 7: one(message(id, in: conversation, at: .min, predecessor: Self.mark))
    case 8: one(message(id, in: conversation, at: .max, predecessor: ""))
    default: Wire.Send(messages: (0...1000).map { message("\(id)-\($0)", in: conversation) })
    }
  }

  private func question(in conversation: String, _ random: inout SeededRandom) -> Wire.Ask {
    Wire.Ask(
      number: random.pick(Self.unaskedNumbers)!,
      request: random.pick([Self.mark, "", "\u{0}", String(repeating: "r", count: 256)])!,
      conversation: random.pick([conversation, Self.mark, ""])!)
  }

  private func piece(
    _ known: Wire.MessageItem?, in conversation: String, _ random: inout SeededRandom
  ) -> Wire.Piece {
    let pieces: [(id: String, conversation: String, sequence: Int64)] = [
      (known?.id ?? "", known?.conversation ?? conversation, 0), (Self.mark, Self.mark, 0),
      (Self.mark, conversation, random.pick([1, -1, .min, .max])!), ("", conversation, 0),
    ]
    let (id, conversation, sequence) = random.pick(pieces)!
    return Wire.Piece(
      id: id, conversation: conversation, sender: Self.mark, role: "user", sequence: sequence,
      text: Self.mark,
      reasoning: nil)
  }
}

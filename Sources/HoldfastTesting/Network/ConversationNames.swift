import Foundation
import Holdfast
import Synchronization
import HoldfastRelay

/// What one phone's store calls its conversations (SPEC D15): the server has another ID for each than the phone, which
/// learns of it some time, and gives its conversation that one.
///
/// The world, the server and the promises know a conversation by its first ID. What this phone says under a later one
/// is translated on its way to the server; and what the server says comes under any ID that is right for the phone at
/// that moment.
final class ConversationNames: Sendable {
  private struct Names {
    /// How many IDs the phone has been told of, and how many it has given its conversation.
    var announced = 0
    var given = 0
  }
  private struct State {
    var names: [ConversationID: Names] = [:]
    /// Messages that came under an ID which the conversation did not have then.
    var early: [String: String] = [:]
    /// Messages that came before, under whichever ID.
    var told: Set<String> = []
  }

  private static let separator: Character = "~"

  private let world: WorldState
  let user: UserID
  private let state = Mutex(State())

  init(world: WorldState, user: UserID) {
    self.world = world
    self.user = user
  }

  /// The server has another ID for it from now on, which the phone is to take over.
  func announce(_ conversation: ConversationID) -> ConversationID {
    state.withLock { state in
      let names = state.names[conversation, default: Names()]
      if names.announced == names.given { state.names[conversation, default: Names()].announced += 1 }
      return Self.name(conversation, names.given + 1)
    }
  }

  /// The phone has given it the ID.
  func give(_ conversation: ConversationID) {
    state.withLock { state in
      let announced = state.names[conversation, default: Names()].announced
      state.names[conversation]?.given = announced
    }
  }

  /// Conversations that the phone still knows by an ID which the server has replaced.
  var awaited: [ConversationID] {
    state.withLock { state in
      state.names.filter { $0.value.announced > $0.value.given }.map(\.key)
        .sorted { $0.rawValue < $1.rawValue }
    }
  }

  /// One of the IDs that the phone may call it by.
  func any(of conversation: ConversationID) -> ConversationID {
    let given = state.withLock { $0.names[conversation]?.given ?? 0 }
    guard given > 0 else { return conversation }
    return Self.name(conversation, world.scheduler.draw { Int.random(in: 0...given, using: &$0) })
  }

  private static func name(_ conversation: ConversationID, _ number: Int) -> ConversationID {
    number == 0 ? conversation : ConversationID(rawValue: "\(conversation)\(separator)\(number)")
  }

  /// The ID that a conversation had first.
  static func first(_ name: String) -> String {
    String(name.prefix { $0 != separator })
  }

  /// A frame on its way to the server.
  func toServer(_ frame: Data) -> Data {
    guard frame.contains(0x7E), let said = try? JSONDecoder().decode(Wire.ClientFrame.self, from: frame)
    else { return frame }
    switch said {
    case .send(var send):
      for index in send.messages.indices {
        send.messages[index].conversation = Self.first(send.messages[index].conversation)
      }
      return (try? Wire.sorted(Wire.ClientFrame.send(send))) ?? frame
    case .piece(var piece):
      piece.conversation = Self.first(piece.conversation)
      return (try? Wire.sorted(Wire.ClientFrame.piece(piece))) ?? frame
    case .hello, .sync, .upload, .fetch, .ping: return frame
    }
  }

  /// A frame on its way to the phone.
  func toPhone(_ frame: Data) -> Data {
    guard world.plan.renames > 0,
      let said = try? JSONDecoder().decode(Wire.ServerFrame.self, from: frame)
    else { return frame }
    switch said {
    case .events(var page):
      for index in page.items.indices {
        if let name = page.items[index].conversation?.id {
          page.items[index].conversation?.id = any(of: ConversationID(rawValue: name)).rawValue
        } else if let message = page.items[index].message {
          page.items[index].message?.conversation = self.name(
            message.conversation, of: message.id, from: message.sender)
        }
      }
      return (try? Wire.sorted(Wire.ServerFrame.events(page))) ?? frame
    case .receipts(var receipts):
      for index in receipts.items.indices {
        let name = ConversationID(rawValue: receipts.items[index].conversation)
        receipts.items[index].conversation = any(of: name).rawValue
      }
      return (try? Wire.sorted(Wire.ServerFrame.receipts(receipts))) ?? frame
    case .piece(var piece):
      piece.conversation = name(piece.conversation, of: piece.id, from: piece.sender ?? "")
      return (try? Wire.sorted(Wire.ServerFrame.piece(piece))) ?? frame
    default: return frame
    }
  }

  /// What others say may come under an ID that the phone has not taken over yet; it stays there until then.
  private func name(_ conversation: String, of message: String, from sender: String) -> String {
    let id = ConversationID(rawValue: conversation)
    let early: String? = state.withLock { state in
      let names = state.names[id, default: Names()]
      let isNew = state.told.insert(message).inserted
      guard names.announced > names.given else {
        state.early[message] = nil
        return nil
      }
      if isNew, sender != user.rawValue, world.scheduler.draw({ $0.chance(0.5) }) {
        state.early[message] = Self.name(id, names.announced).rawValue
      }
      return state.early[message]
    }
    return early ?? any(of: id).rawValue
  }
}

import ChatServerTesting
import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

/// The names of conversations in one phone's store (rule D15). The server has another ID for each conversation than
/// the phone. The phone learns of that ID some time later, and assigns it to its conversation.
///
/// The world, the server and the promises identify a conversation by its first ID. A later ID is translated on its
/// way from the phone to the server. A frame from the server uses any ID that is valid for the phone at that moment.
final class ConversationNames: Sendable {
  private struct Names {
    /// The number of IDs that were announced to the phone, and the number that it has assigned to its conversation.
    var announced = 0
    var given = 0
  }
  private struct State {
    var names: [ConversationID: Names] = [:]
    /// By message: an ID under which the message arrived before the conversation had that ID.
    var early: [String: String] = [:]
    /// Messages that have already arrived, under any ID.
    var seen: Set<String> = []
  }

  private static let separator: Character = "~"

  private let world: WorldState
  let user: UserID
  private let state = Mutex(State())

  init(world: WorldState, user: UserID) {
    self.world = world
    self.user = user
  }

  /// Announces a new ID of the server for the conversation, which the phone should adopt. Returns that ID.
  func announce(_ conversation: ConversationID) -> ConversationID {
    state.withLock { state in
      let names = state.names[conversation, default: Names()]
      if names.announced == names.given { state.names[conversation, default: Names()].announced += 1 }
      return Self.name(conversation, names.given + 1)
    }
  }

  /// Records that the phone has assigned the ID to the conversation.
  func give(_ conversation: ConversationID) {
    state.withLock { state in
      let announced = state.names[conversation, default: Names()].announced
      state.names[conversation]?.given = announced
    }
  }

  /// Conversations for which the phone still uses an ID that the server has replaced.
  var awaited: [ConversationID] {
    state.withLock { state in
      state.names.filter { $0.value.announced > $0.value.given }.map(\.key)
        .sorted { $0.rawValue < $1.rawValue }
    }
  }

  /// Returns one of the IDs that the phone may use for the conversation.
  func any(of conversation: ConversationID) -> ConversationID {
    let given = state.withLock { $0.names[conversation]?.given ?? 0 }
    guard given > 0 else { return conversation }
    return Self.name(conversation, world.scheduler.draw { Int.random(in: 0...given, using: &$0) })
  }

  private static func name(_ conversation: ConversationID, _ number: Int) -> ConversationID {
    number == 0 ? conversation : ConversationID(rawValue: "\(conversation)\(separator)\(number)")
  }

  /// Returns the first ID of a conversation.
  static func first(_ name: String) -> String {
    String(name.prefix { $0 != separator })
  }

  /// Translates a frame on its way to the server.
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
    case .read(var read):
      read.conversation = Self.first(read.conversation)
      return (try? Wire.sorted(Wire.ClientFrame.read(read))) ?? frame
    case .ask(var ask):
      ask.conversation = Self.first(ask.conversation)
      return (try? Wire.sorted(Wire.ClientFrame.ask(ask))) ?? frame
    case .history(var question):
      question.conversation = Self.first(question.conversation)
      return (try? Wire.sorted(Wire.ClientFrame.history(question))) ?? frame
    case .search(var question):
      question.conversation = question.conversation.map(Self.first)
      return (try? Wire.sorted(Wire.ClientFrame.search(question))) ?? frame
    case .hello, .sync, .upload, .fetch, .ping: return frame
    }
  }

  /// Translates a frame on its way to the phone.
  func toPhone(_ frame: Data) -> Data {
    guard world.plan.renames > 0,
      let said = try? JSONDecoder().decode(Wire.ServerFrame.self, from: frame)
    else { return frame }
    switch said {
    case .events(var page):
      for index in page.items.indices {
        if let name = page.items[index].conversation?.id {
          page.items[index].conversation?.id = any(of: ConversationID(rawValue: name)).rawValue
        } else if let mark = page.items[index].readMark {
          let name = ConversationID(rawValue: mark.conversation)
          page.items[index].readMark?.conversation = any(of: name).rawValue
        } else if let message = page.items[index].message {
          page.items[index].message?.conversation = self.name(
            message.conversation, of: message.id, from: message.sender)
        }
      }
      return (try? Wire.sorted(Wire.ServerFrame.events(page))) ?? frame
    case .older(var older):
      for index in older.messages.indices {
        let name = ConversationID(rawValue: older.messages[index].conversation)
        older.messages[index].conversation = any(of: name).rawValue
      }
      return (try? Wire.sorted(Wire.ServerFrame.older(older))) ?? frame
    case .found(var found):
      for index in found.messages.indices {
        let name = ConversationID(rawValue: found.messages[index].conversation)
        found.messages[index].conversation = any(of: name).rawValue
      }
      return (try? Wire.sorted(Wire.ServerFrame.found(found))) ?? frame
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

  /// Returns the ID under which a message arrives. A message from another user may arrive under an ID that the phone
  /// has not adopted yet. Such a message keeps that ID until the phone has adopted it.
  private func name(_ conversation: String, of message: String, from sender: String) -> String {
    let id = ConversationID(rawValue: conversation)
    let early: String? = state.withLock { state in
      let names = state.names[id, default: Names()]
      let isNew = state.seen.insert(message).inserted
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

import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Older messages on demand (rule B6).
extension TransportConformance {
  /// More than a page.
  private static let many = 120

  static var history: [Case] {
    [
      Case(
        "a phone that came later reads back to the beginning, in the server's order", ["B6.1", "B6.5"],
        needs: [.history]
      ) { stage in
        let (alice, late, chat, ids) = try await stage.late(many)
        try await stage.readBack(late, in: chat)
        let shown = try late.rows(of: stage.present(chat)).map(\.id)
        try require(
          shown.prefix(many) == ids[...], "All \(many) messages are in the order in which they were sent.")
        try await stage.sees(try alice.say(in: chat), in: chat, late)
      },
      Case(
        "what is sent while a phone reads back stands behind all of it", ["B6.1", "B6.5"], needs: [.history]
      ) { stage in
        let (alice, late, chat, _) = try await stage.late(many)
        for _ in 0..<3 {
          try alice.say(times: 2, in: chat)
          try late.client.history.fetchOlder(in: stage.present(chat))
        }
        try late.say(in: stage.present(chat), noted: chat)
        try await stage.readBack(late, in: chat)
      },
      Case(
        "a phone reads back over a connection that is lost before and after each question", ["B6.5"],
        needs: [.history]
      ) { stage in
        let (_, late, chat, _) = try await stage.late(many)
        late.transport.lose(.beforeItLeaves, at: .history)
        late.transport.lose(.afterItLeft, at: .history)
        try await stage.readBack(late, in: chat)
        try await stage.struck(2, on: late)
      },
      Case(
        "a phone that is killed while it reads back goes on where it was", ["B6.5"], needs: [.history]
      ) { stage in
        let (_, late, chat, _) = try await stage.late(many)
        late.transport.lose(.afterItLeft, at: .history) { late.die() }
        try late.client.history.fetchOlder(in: stage.present(chat))
        try await stage.struck(on: late)
        try await late.relaunch()
        try await stage.readBack(late, in: chat)
      },
      Case(
        "what was done to a message that is not here is there when it comes", ["B6.5"],
        needs: [.history, .operation(.edit)]
      ) { stage in
        let (alice, late, chat, ids) = try await stage.late(many)
        try alice.edit(ids[3])
        if stage.capabilities.operations.contains(.delete) { try alice.delete(ids[4]) }
        if stage.capabilities.operations.contains(.react) { try alice.react("👍", to: ids[5]) }
        try await stage.delivered(on: alice)
        try await stage.sees(try alice.say(in: chat), in: chat, late)
        try await stage.readBack(late, in: chat)
      },
      Case(
        "a message that is looked for is fetched with all between, and one that is nowhere ends", ["B6.3"],
        needs: [.history]
      ) { stage in
        let (_, late, chat, ids) = try await stage.late(many)
        let id = stage.present(chat)
        try late.client.history.fetchOlder(in: id, upTo: ids[1])
        try await stage.sees(ids[1], in: chat, late)
        try late.client.history.fetchOlder(in: id, upTo: "nowhere")
        try await stage.until("that the search has ended", on: late) { client in
          try client.reader.conversation(id, limit: ConformanceStage.limit).older == .loading ? nil : true
        }
        try await stage.readBack(late, in: chat)
      },
      Case(
        "a search finds what a phone does not have, as it is now, and for members alone", ["B6.3", "B6.6"],
        needs: [.history, .search, .operation(.edit)]
      ) { stage in
        let (alice, late, chat, ids) = try await stage.late(many)
        try await stage.finds(0, "edited", in: chat, late)
        try alice.edit(ids[3])
        try await stage.delivered(on: alice)
        try await stage.finds(1, "edited", in: chat, late)
        try await stage.finds(0, "edited", in: nil, try await stage.phone("stranger"))
        if stage.capabilities.operations.contains(.delete) {
          try alice.delete(ids[3])
          try await stage.delivered(on: alice)
          try await stage.finds(0, "edited", in: chat, late)
        }
        try await stage.readBack(late, in: chat)
      },
      Case(
        "what made room is fetched again, and stands where it stood", ["B6.2", "H11.4"], needs: [.history]
      ) { stage in
        let (alice, bob, chat) = try await stage.pair()
        guard let bob else { return }
        let ids = try alice.say(times: 30, in: chat)
        try await stage.sees(ids[29], in: chat, bob)
        let key = try bob.client.store.key(of: stage.present(chat))
        // The second time, the phone already knew the beginning of the conversation.
        for _ in 0..<2 {
          let evicted = try bob.client.store.write {
            try $0.history.evict($0.history.evictable(in: key, keeping: 10, limit: 20))
          }
          guard evicted > 0 else { throw ConformanceSkip("Without numbers nothing makes room.") }
          try await stage.readBack(bob, in: chat)
        }
      },
    ]
  }
}

extension ConformanceStage {
  /// A conversation with `count` messages, and a second phone of one of its members that has received none of them:
  /// it connects after they were sent, and receives only later messages.
  func late(
    _ count: Int
  ) async throws -> (alice: ConformancePhone, late: ConformancePhone, chat: ConversationID, ids: [MessageID])
  {
    let (alice, bob, chat) = try await pair()
    guard let bob else { throw ConformanceSkip("The transport has no server.") }
    let ids = try alice.say(times: count, in: chat)
    try await delivered(on: alice)
    try await sees(ids[count - 1], in: chat, bob)
    let late = try await phone("late", of: bob.user, isOnline: false)
    let cursor = try await until("how far it has followed the server", on: bob) { client in
      try client.store.read { try $0.settings.cursor() }
    }
    try late.client.store.write { try $0.settings.setCursor(cursor) }
    try await online(late)
    // A server that sends a device only new messages marks the conversation so.
    late.transport.inject([
      .conversation(
        IncomingConversation(
          id: present(chat), title: nil, members: [alice.user, bob.user], hasOlder: true))
    ])
    try await sees(try alice.say(in: chat), in: chat, late)
    return (alice, late, chat, ids)
  }

  /// Requests older messages until the phone shows the beginning of the conversation.
  func readBack(_ phone: ConformancePhone, in conversation: ConversationID) async throws {
    let id = present(conversation)
    var failures = 0
    try await until("the beginning of the conversation", on: phone) { client in
      switch try client.reader.conversation(id, limit: Self.limit).older {
      case .none: return true
      case .onServer: client.history.fetchOlder(in: id)
      case .failed(let reason):
        failures += 1
        guard failures < 10 else { throw ConformanceFailure("Older messages fail: \(reason.explanation)") }
        client.history.fetchOlder(in: id)
      case .onDevice, .loading, .offline, .removed: break
      }
      return nil
    }
  }

  /// Searches, and requires this number of hits. Hits that are not on the phone must be marked.
  func finds(
    _ count: Int, _ query: String, in conversation: ConversationID?, _ phone: ConformancePhone
  ) async throws {
    let (field, chat) = (Signal(), conversation.map(present))
    let hits = try await until("what the server finds", on: phone, raisedBy: field) { client in
      let found = try client.reader.search(query, in: chat, limit: Self.limit, raising: field)
      return found.server == .searched ? found.hits : nil
    }
    let here = try chat.map { try Set(phone.rows(of: $0).map(\.id)) } ?? []
    try TransportConformance.require(
      hits.count == count && hits.allSatisfy { $0.excerpt.text.contains(query) },
      "\(count) messages are found for \(query), and not \(hits.count).")
    try TransportConformance.require(
      hits.allSatisfy { $0.isOnServer != here.contains($0.id) }, "What only the server has is marked.")
  }
}

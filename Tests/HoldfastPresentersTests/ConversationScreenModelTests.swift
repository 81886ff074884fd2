import EngineFixtures
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A conversation on a screen, without any view (rule V2).
@Suite(.timeLimit(.minutes(10))) @MainActor struct ConversationScreenModelTests {
  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench()
    client = try bench.client()
  }

  /// Runs a screen while `body` runs.
  private func running(
    _ screen: ConversationScreenModel, _ body: @escaping @MainActor () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await screen.run() }
      defer { group.cancelAll() }
      try await body()
    }
  }

  /// Returns once the condition holds.
  private func hold(_ condition: @MainActor () -> Bool) async { while !condition() { await Task.yield() } }

  // H7.5, V5.2
  @Test func `a screen loads, shows rows as they look, and says what is missing`() async throws {
    let screen = ConversationScreenModel(client, eg.conversation)
    #expect(screen.content.isLoading)
    screen.timeline.reload()
    #expect(screen.content.note == "No messages yet")
    try client.takeIn(eg.incoming("1", "Hello", order: 1), eg.incoming("2", "Are you there?", order: 2))
    screen.timeline.reload()
    #expect(screen.content.note == nil)
    let shown = screen.places.compactMap { screen.message(at: $0) }
    #expect(shown.map(\.looks.body) == ["Hello", "Are you there?"])
    #expect(shown.map(\.looks.beginsDay) == [true, false])
    #expect(shown.map(\.looks.endsGroup) == [false, true])
    #expect(screen.message(at: RowPlace(id: "3")) == nil)
    try await client.suspend()
    screen.timeline.reload()
    #expect(screen.content.failure == "The messages could not be read.")
    #expect(!screen.content.isAlone, "The rows of the earlier read stay.")
  }

  // R3.2, B13.1
  @Test func `what is seen at the end is read, and earlier rows are not moved away`() throws {
    let screen = ConversationScreenModel(client, eg.conversation)
    try client.takeIn(eg.incoming("1", order: 1), eg.incoming("2", order: 2))
    #expect(screen.movement == nil)
    screen.timeline.reload()
    screen.rowsChanged()
    #expect(screen.movement?.move == .toEnd(animated: false))
    #expect(try client.reader.list(limit: 1).rows.map(\.unreadCount) == [0])
    screen.measured(isAtEnd: false, hasGrown: false)
    try client.takeIn(eg.incoming("3", order: 3))
    screen.timeline.reload()
    let before = screen.movement
    screen.rowsChanged()
    #expect(screen.movement == before)
    #expect(screen.offersNewest)
    #expect(try client.reader.list(limit: 1).rows.map(\.unreadCount) == [1])
    screen.tapNewest()
    #expect(screen.movement?.move == .toEnd(animated: true))
    screen.rowsChanged()
    #expect(try client.reader.list(limit: 1).rows.map(\.unreadCount) == [0])
  }

  // H7.2
  @Test func `a message that was looked for is gone to once, with what is around it`() throws {
    try client.takeIn(orders: 1...300)
    let rows = try client.reader.conversation(eg.conversation, limit: 300).rows
    let screen = ConversationScreenModel(client, eg.conversation, around: rows[100].id)
    screen.timeline.reload()
    screen.rowsChanged()
    #expect(screen.movement?.move == .toMiddle(rows[100].id))
    #expect(screen.timeline.rowIDs.count > 100)
    #expect(screen.offersNewest)
    let before = screen.movement
    screen.timeline.loadOlder()
    screen.rowsChanged()
    #expect(screen.movement == before, "The reader is left where he is.")
    let other = ConversationScreenModel(client, eg.conversation, around: "nobody's")
    other.timeline.reload()
    other.rowsChanged()
    #expect(other.movement?.move == .toEnd(animated: false))
  }

  /// A window that stores one place.
  private final class Place: KeptPlace {
    var anchor: ScrollPositions.Anchor?
    var explained: MessageID?
  }

  // R1, R3.2
  @Test func `the line that is read is kept, and comes back`() throws {
    try client.takeIn(orders: 1...200)
    let ids = try client.reader.conversation(eg.conversation, limit: 200).rows.map(\.id)
    let place = Place()
    let screen = ConversationScreenModel(client, eg.conversation, place: place)
    screen.timeline.reload()
    screen.rowsChanged()
    screen.saw(Array(ids.suffix(10)))
    #expect(place.anchor == nil, "At the end there is no line to come back to.")
    screen.measured(isAtEnd: false, hasGrown: false)
    screen.saw([ids[151], ids[150], ids[152]])
    #expect(place.anchor == nil, "A line that passes is not kept.")
    screen.rested()
    #expect(place.anchor == ScrollPositions.Anchor(message: ids[150]))
    screen.saw([])
    screen.rested()
    #expect(place.anchor?.message == ids[150], "Nothing is seen while the view moves.")
    let again = ConversationScreenModel(client, eg.conversation, place: place)
    again.timeline.reload()
    again.rowsChanged()
    #expect(again.movement?.move == .to(ScrollPositions.Anchor(message: ids[150])))
    again.rowsChanged()
    #expect(again.movement?.number == 1, "The reader is left where he is.")
    again.measured(isAtEnd: true, hasGrown: false)
    #expect(place.anchor == nil)
  }

  // H7.2, R3.2
  @Test func `four hundred messages are read from a found one to both ends, and the reader's line stays`()
    throws
  {
    try client.takeIn(orders: 1...400)
    let ids = try client.reader.conversation(eg.conversation, limit: 400).rows.map(\.id)
    let screen = ConversationScreenModel(client, eg.conversation, around: ids[100])
    screen.timeline.reload()
    screen.rowsChanged()
    #expect(screen.timeline.rowIDs == Array(ids[50...200]))
    screen.measured(isAtEnd: false, hasGrown: false)
    // Three hundred messages on, page by page, with nothing but scrolling.
    for end in [300, 399] {
      let shown = screen.timeline.rowIDs
      screen.saw(Array(shown.suffix(8)))
      screen.reached(try #require(RowEdge(shown[shown.count - 8], top: -25, height: 100, timeline: 600)))
      let before = screen.movement
      screen.measured(isAtEnd: false, isNearEnd: true, hasGrown: false)
      screen.rowsChanged()
      #expect(screen.timeline.rowIDs == Array(ids[50...end]))
      #expect(screen.movement == before, "Rows that come below move nothing.")
    }
    screen.saw(Array(ids[50...57]))
    screen.reached(try #require(RowEdge(ids[50], top: -25, height: 100, timeline: 600)))
    screen.timeline.loadOlder()
    screen.rowsChanged()
    #expect(screen.timeline.rowIDs.first == ids[0])
    // The rows that came above would have moved the line.
    #expect(screen.movement?.move == .to(ScrollPositions.Anchor(message: ids[50], offset: 0.25)))
    // At the very start a button is at the edge, and the first row is the uppermost one.
    screen.left(ids[50])
    screen.saw(Array(ids[0...7]))
    screen.rested()
    screen.measured(isAtEnd: true, isNearEnd: true, hasGrown: false)
    #expect(try client.reader.list(limit: 1).rows.map(\.unreadCount) == [0], "The end is read.")
  }

  // B13.1, H7.2
  @Test func `who drags to the end of what is shown has not read what loads below`() throws {
    try client.takeIn(orders: 1...300)
    let ids = try client.reader.conversation(eg.conversation, limit: 300).rows.map(\.id)
    let screen = ConversationScreenModel(client, eg.conversation, around: ids[100])
    screen.timeline.reload()
    screen.rowsChanged()
    let before = screen.movement
    screen.saw(Array(ids[190...200]))
    screen.measured(isAtEnd: true, isNearEnd: true, hasGrown: false)
    screen.rowsChanged()
    screen.measured(isAtEnd: false, hasGrown: true)
    #expect(screen.timeline.rowIDs.last == ids[299])
    #expect(screen.movement == before, "The reader stays.")
    #expect(try client.reader.list(limit: 1).rows.map(\.unreadCount) == [300])
  }

  // H7.2
  @Test func `a line stays when the oldest rows are unloaded above it`() throws {
    try client.takeIn(orders: 1...1_300)
    let ids = try client.reader.conversation(eg.conversation, limit: 1_300).rows.map(\.id)
    let screen = ConversationScreenModel(client, eg.conversation, around: ids[50])
    screen.timeline.reload()
    screen.rowsChanged()
    while screen.timeline.hasNewer {
      let shown = screen.timeline.rowIDs
      let top = shown[shown.count - 8]
      screen.saw(Array(shown.suffix(8)))
      screen.reached(try #require(RowEdge(top, top: -25, height: 100, timeline: 600)))
      screen.measured(isAtEnd: true, isNearEnd: true, hasGrown: false)
      screen.rowsChanged()
      let isUnloaded = screen.timeline.rowIDs.first != shown.first
      #expect(
        (screen.movement?.move == .to(ScrollPositions.Anchor(message: top, offset: 0.25))) == isUnloaded)
    }
    #expect(screen.timeline.rowIDs.first != ids[0] && screen.timeline.rowIDs.last == ids[1_299])
  }

  // R3.1
  @Test func `a place within a long message is kept and comes back, in a window of another size too`() throws
  {
    try client.takeIn(orders: 1...3)
    let place = Place()
    let screen = ConversationScreenModel(client, eg.conversation, place: place)
    screen.timeline.reload()
    screen.rowsChanged()
    let id = screen.timeline.rowIDs[1]
    screen.measured(isAtEnd: false, hasGrown: false)
    screen.saw([id])
    // The message is twice as high as the timeline, and a quarter of it is above the edge.
    screen.reached(try #require(RowEdge(id, top: -300, height: 1_200, timeline: 600)))
    screen.rested()
    let anchor = ScrollPositions.Anchor(message: id, offset: 0.25)
    #expect(place.anchor == anchor)
    let again = ConversationScreenModel(client, eg.conversation, place: place)
    again.timeline.reload()
    again.rowsChanged()
    #expect(again.movement == .init(number: 1, move: .to(anchor)))
    #expect(again.alignment(at: anchor) == 0, "The height of the row is not known yet.")
    // Narrower: the same message is higher.
    again.reached(try #require(RowEdge(id, top: 0, height: 1_600, timeline: 600)))
    #expect(again.movement == .init(number: 2, move: .to(anchor)))
    // The point of the row at 0.4 of its height, 640, is at 0.4 of the timeline, 240: 400 are above the edge.
    #expect(again.alignment(at: anchor) == 0.4)
    again.reached(try #require(RowEdge(id, top: -400, height: 1_600, timeline: 600)))
    #expect(again.movement?.number == 2)
    #expect(RowEdge(id, top: 1, height: 100, timeline: 600) == nil)
    #expect(RowEdge(id, top: -100, height: 100, timeline: 600) == nil)
  }

  // R4
  @Test func `the sheet of a message comes back while there is something to explain`() throws {
    let place = Place()
    let message = try client.send("One", in: eg.conversation)
    let screen = ConversationScreenModel(client, eg.conversation, place: place)
    screen.messageActions.choose(.info, on: message)
    #expect(place.explained == message)
    let again = ConversationScreenModel(client, eg.conversation, place: place)
    again.timeline.reload()
    again.rowsChanged()
    #expect(again.messageActions.info == message)
    place.explained = "nobody's"
    let later = ConversationScreenModel(client, eg.conversation, place: place)
    later.timeline.reload()
    later.rowsChanged()
    #expect(later.messageActions.info == nil)
    #expect(place.explained == nil)
  }

  // R3.2
  @Test func `a reply that grows is followed by a reader at the end, and by no other`() throws {
    try client.takeIn(orders: 1...3)
    let screen = ConversationScreenModel(client, eg.conversation)
    screen.timeline.reload()
    screen.rowsChanged()
    screen.measured(isAtEnd: false, hasGrown: true)
    #expect(screen.movement == .init(number: 2, move: .toEnd(animated: false)))
    screen.measured(isAtEnd: false, hasGrown: false)
    screen.measured(isAtEnd: false, hasGrown: true)
    #expect(screen.movement?.number == 2)
  }

  // O8.2, O14.1
  @Test func `what is chosen on a message is carried out, and asks for what only a view has`() async throws {
    let screen = ConversationScreenModel(client, eg.conversation)
    let actions = screen.messageActions
    let (first, second) = (
      try client.send("One", in: eg.conversation), try client.send("Two", in: eg.conversation)
    )
    actions.choose(.info, on: first)
    #expect(actions.info == first)
    actions.choose(.decide, on: first)
    #expect(screen.messageActions.held.isWanted)
    actions.choose(.reply, on: first)
    #expect(screen.composer.replyTo == first)
    try await running(screen) {
      actions.choose(.takeBack, on: first)
      actions.choose(.cancel, on: second)
      await hold { screen.timeline.rowIDs.isEmpty }
      #expect(screen.composer.text == "One")
      actions.choose(.retry, on: first)
      await hold { actions.problem != nil }
      #expect(actions.problem?.code == .tooLate)
      #expect(screen.problem == actions.problem?.message)
    }
  }

  // O14
  @Test func `a reaction is given and taken back`() throws {
    let screen = ConversationScreenModel(client, eg.conversation)
    try client.takeIn(eg.incoming("1", order: 1))
    screen.messageActions.react("👍", isOn: true, to: "1")
    #expect(try client.row("1").reactions.map(\.value) == ["👍"])
    screen.messageActions.react("👍", isOn: false, to: "1")
    #expect(try client.row("1").reactions.isEmpty)
    screen.messageActions.react("👍", isOn: true, to: "nobody's")
    #expect(screen.problem != nil)
  }

  // L10.5, H3.4
  @Test func `replies are offered to be written only where something writes them`() async throws {
    let chat = try client.createConversation("notes", isOnDevice: true)
    let reply = try await chat.beginReply(as: .assistant("claude", of: eg.user))
    try await reply.append("Hel")
    try await reply.interrupt()
    let mute = ConversationScreenModel(client, "notes")
    #expect(mute.message(at: RowPlace(id: reply.id))?.looks.line.buttons.map(\.kind) == [.delete])
    let written = Mutex<[MessageAction.Kind]>([])
    let screen = ConversationScreenModel(client, "notes") { kind, _ in written.withLock { $0.append(kind) } }
    #expect(
      screen.message(at: RowPlace(id: reply.id))?.looks.line.buttons.map(\.kind) == [
        .continueReply, .retryReply, .delete,
      ])
    try await running(screen) {
      screen.messageActions.choose(.retryReply, on: reply.id)
      screen.messageActions.choose(.delete, on: reply.id)
      await hold { screen.timeline.rowIDs.isEmpty }
      #expect(written.withLock { $0 } == [.retryReply])
    }
  }

  // L9.1, A6.1
  @Test func `what is sent to an assistant asks it, and what is blank stays in the composer`() async throws {
    let assistant = UserID.assistant("claude", of: eg.user)
    try client.createConversation("notes", members: [eg.user, assistant], isOnDevice: true)
    let answered = Mutex<[MessageID]>([])
    let screen = ConversationScreenModel(
      client, "notes", writer: { _, _ in },
      asked: AskedAssistant(assistant) { reply, _ in answered.withLock { $0.append(reply.id) } })
    try await running(screen) {
      screen.composer.text = "Hello?"
      screen.send()
      await hold { screen.timeline.rowIDs.count == 2 }
      let rows = screen.timeline.snapshot.rows
      #expect(rows.map(\.sender) == [eg.user, assistant])
      await hold { !answered.withLock(\.isEmpty) }
      #expect(answered.withLock { $0 } == [rows[1].id])
      #expect(screen.composer.text.isEmpty)
      screen.composer.text = "  "
      screen.send()
      await hold { screen.problem != nil }
      #expect(screen.composer.text == "  ")
    }
  }

  // L9.1
  @Test func `an assistant that is no member is not asked`() throws {
    let screen = ConversationScreenModel(
      client, eg.conversation, asked: AskedAssistant(.assistant("claude", of: eg.user)) { _, _ in })
    screen.composer.text = "Hello Bob"
    screen.send()
    screen.timeline.reload()
    #expect(screen.timeline.snapshot.rows.map(\.text) == ["Hello Bob"])
  }

  // O16
  @Test func `the question about waiting messages comes when it is due, or when one is tapped`() async throws
  {
    let screen = ConversationScreenModel(client, eg.conversation)
    let id = try client.send("One", in: eg.conversation)
    try client.hold()
    try await running(screen) {
      await hold { screen.message(at: RowPlace(id: id))?.looks.tap.map(\.kind) == [.decide] }
      #expect(screen.messageActions.held.question == nil)
      screen.messageActions.held.isWanted = true
      await hold { screen.messageActions.held.question != nil }
      #expect(screen.messageActions.held.question?.title == "1 message has waited for long")
      screen.messageActions.held.answer(.send)
      #expect(screen.messageActions.held.question == nil)
      await hold { screen.message(at: RowPlace(id: id))?.row.status.state == .queued }
    }
  }

  // D4.2
  @Test func `what was typed is saved when the screen goes`() async throws {
    let screen = ConversationScreenModel(client, eg.conversation)
    try await running(screen) {
      screen.composer.text = "Half a text"
    }
    #expect(try client.storedDraft()?.text == "Half a text")
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

private typealias eg = EngineExample

/// The appearance of rows and their actions, without any view (rules V2, O3).
@Suite struct MessagePresenterTests {
  private static var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
  private let presenter = MessagePresenter(texts: { $0.english }, calendar: Self.utc)

  private func row(
    _ text: String = "Hello", id: MessageID = "m", from sender: UserID = eg.user, role: MessageRole = .user,
    at date: Date = eg.date, status: MessageStatus = MessageStatus(.delivered),
    actions: [MessageRow.Action] = [], isWrittenHere: Bool = false, editedAt: Date? = nil,
    operation: MessageRow.Operation? = nil, readBy: [UserID] = [], isDeleted: Bool = false
  ) -> MessageRow {
    MessageRow(
      id: id, sender: sender, isMine: sender == eg.user, role: role, content: MessageContent(text),
      createdAt: date, editedAt: editedAt, isDeleted: isDeleted, status: status, isWrittenHere: isWrittenHere,
      actions: actions, operation: operation, readBy: readBy)
  }

  private func present(_ row: MessageRow) -> PresentedMessage {
    presenter.present(row, after: nil, before: nil)
  }

  @Test func `a day begins above its first row, and a group ends with its sender, its role or its day`() {
    let day: TimeInterval = 86_400
    let rows = [
      row(id: "1"), row(id: "2"), row(id: "3", from: eg.other),
      row(id: "4", from: eg.other, at: eg.date + day),
      row(id: "5", from: eg.other, role: .assistant, at: eg.date + day),
    ]
    let shown = presenter.present(rows)
    #expect(shown.map(\.beginsDay) == [true, false, false, true, false])
    #expect(shown.map(\.beginsGroup) == [true, false, true, true, true])
    #expect(shown.map(\.endsGroup) == [false, true, true, true, true])
    #expect(shown.map(\.isOwn) == [true, true, false, false, false])
    #expect(presenter.present([]).isEmpty)
  }

  // O3.2, O3.4, O8.2
  @Test func `a message that has not gone has a line, and a tap on it shows what can be done`() {
    let queued = present(row(status: MessageStatus(.offline), actions: [.info, .edit, .cancel]))
    #expect((queued.line.look, queued.line.text) == (.badge, "Queued - Will send when online"))
    #expect(queued.tap.map(\.kind) == [.info, .takeBack, .cancel])
    #expect(queued.tap.map(\.title) == ["Info", "Edit", "Cancel"])
    #expect(queued.tap.map(\.isDestructive) == [false, false, true])
    #expect(queued.tap.map(\.goesToComposer) == [false, true, false])
    #expect(queued.menu == nil)

    let held = present(row(status: MessageStatus(.held), actions: [.decide]))
    #expect(held.tap.map(\.kind) == [.decide])
    let failed = present(
      row(status: MessageStatus(.failed, failure: eg.rejection), actions: [.retry, .edit, .delete]))
    #expect((failed.line.look, failed.reason) == (.failed, "No."))
    #expect(failed.tap.map(\.kind) == [.retry, .takeBack, .cancel], "A failed one is nowhere else.")
    #expect(failed.spoken == "alice, Hello, \(failed.line.text ?? "")")
  }

  // O3.3, O14, B13.2
  @Test func `a delivered message has its time, its marks and a menu`() {
    let mine = present(row(actions: [.react, .edit, .delete], editedAt: eg.date, readBy: [eg.other]))
    #expect((mine.line.look, mine.line.text, mine.line.editedAt) == (.time, nil, eg.date))
    #expect(mine.line.receipt == .init(isRead: true, text: "Read by bob"))
    #expect(mine.menu?.map(\.kind) == [.reply, .beginEdit, .delete])
    #expect(mine.menu?.map(\.title) == ["Reply", "Edit", "Delete for everybody"])
    #expect(mine.canReact && mine.tap.isEmpty)
    #expect(present(row()).menu == nil)
    #expect(present(row()).line.receipt == .init(isRead: false, text: "Delivered"))
    #expect(present(row(from: eg.other, actions: [.react])).line.receipt == nil)
    let deleted = present(row("", editedAt: eg.date, isDeleted: true))
    #expect((deleted.body, deleted.line.editedAt, deleted.line.receipt) == ("Message deleted", nil, nil))
  }

  // O14
  @Test(arguments: [
    (MessageOperation.Kind.edit, "Discard the edit", true), (.delete, "Keep the message", false),
    (.react, "Discard the reaction", true), (.unreact, "Keep the reaction", false),
  ]) func `what was done to a message and waits is said beside its time, and can be given up`(
    kind: MessageOperation.Kind, title: String, isDestructive: Bool
  ) throws {
    for (status, first) in [
      (MessageStatus(.offline), MessageAction.Kind.info),
      (MessageStatus(.failed, failure: eg.rejection), .retry),
    ] {
      let operation = MessageRow.Operation(id: "o", kind: kind, text: "x", status: status)
      let shown = present(row(editedAt: eg.date, operation: operation))
      let change = try #require(shown.line.change)
      #expect((change.id, change.text) == ("o", operation.status.text))
      #expect(change.offers.map(\.kind) == [first, .cancel])
      #expect((change.offers[1].title, change.offers[1].isDestructive) == (title, isDestructive))
      #expect((shown.line.editedAt == nil) == (kind == .edit), "An edit that waits says so itself.")
    }
  }

  // H3.3, L4.2, L10.5
  @Test func `a reply that is written can be stopped, and one that was cut off taken up`() {
    let assistant = UserID.assistant("claude", of: eg.user)
    func reply(
      _ text: String, _ status: MessageStatus, _ actions: [MessageRow.Action] = [], here: Bool = true
    )
      -> PresentedMessage
    {
      var row = row(
        text, from: assistant, role: .assistant, status: status, actions: actions, isWrittenHere: here)
      row.reasoning = "Hm."
      return present(row)
    }
    let writing = reply("", MessageStatus(.streaming))
    #expect((writing.line.look, writing.line.text) == (.quiet, "Writing..."))
    #expect(writing.line.buttons.map(\.kind) == [.stopReply])
    #expect(writing.showsReasoning)
    #expect(reply("Hel", MessageStatus(.streaming), here: false).line.buttons.isEmpty)
    #expect(!reply("Hel", MessageStatus(.streaming)).showsReasoning)

    let cut = reply("Hel", MessageStatus(.interrupted), [.continueReply, .retryReply, .delete])
    #expect(
      (cut.isCutOff, cut.line.look, cut.line.text, cut.line.reason) == (true, .badge, "Interrupted", nil))
    #expect(cut.line.buttons.map(\.title) == ["Continue", "Try again", "Delete"])
    #expect(cut.tap.isEmpty && cut.menu == nil)
    let others = reply("Hel", MessageStatus(.interrupted), here: false)
    #expect(others.isCutOff && others.line.buttons.isEmpty)
    for code in [FailureReason.Code.replyFailed, .tooLong] {
      let failed = reply(
        "", MessageStatus(.failed, failure: FailureReason(code, "No key.")),
        [.retryReply, .keepEarlierReply, .delete])
      #expect((failed.isCutOff, failed.line.look, failed.line.reason) == (true, .failed, "No key."))
      #expect(failed.line.buttons.map(\.kind) == [.retryReply, .keepEarlierReply, .delete])
      #expect(failed.tap.isEmpty, "It is no message that has not gone.")
    }
    var whole = row(from: assistant, role: .assistant, actions: [.react, .regenerateReply, .delete])
    whole.versions = 1
    #expect(present(whole).menu?.map(\.kind) == [.reply, .restoreReply, .regenerateReply, .delete])
    #expect(present(whole).line.receipt == nil, "What an assistant says is not its owner's word.")
  }

  @Test(arguments: [
    ("🎉", true), ("👍🏽❤️👨‍👩‍👧", true), ("🎉🎉🎉🎉", false), ("7", false), ("1️⃣", true), ("ok 👍", false), ("", false),
  ]) func `one to three emoji and nothing else are large`(text: String, isLarge: Bool) {
    #expect(present(row(text)).isLarge == isLarge)
    #expect(!present(row(text, isDeleted: true)).isLarge)
  }

  // V3.1
  @Test func `every word comes from the app's catalogue`() {
    let presenter = MessagePresenter(texts: { "<\($0.english)>" }, name: { "Mx \($0)" }, calendar: Self.utc)
    func present(_ row: MessageRow) -> PresentedMessage { presenter.present(row, after: nil, before: nil) }
    let delivered = present(row(actions: [.edit], readBy: [eg.other]))
    #expect(delivered.menu?.map(\.title) == ["<Reply>", "<Edit>"])
    #expect(delivered.line.receipt?.text == "<Read by Mx bob>")
    #expect(present(row(status: MessageStatus(.streaming))).line.text == "<Writing...>")
    #expect(present(row(status: MessageStatus(.offline), actions: [.info])).tap.map(\.title) == ["<Info>"])
  }
}

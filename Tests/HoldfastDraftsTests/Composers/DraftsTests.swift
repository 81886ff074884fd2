import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct DraftsTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func edit(_ client: ChatClient, _ text: String, cursor: Int? = nil) {
    let selection = cursor.map { TextRange(start: $0, end: $0) }
    client.drafts.edit(eg.key, DraftContent(text, selection: selection))
  }

  // D1.4, D1.5, D5.1, D9.1, D9.3
  @Test(arguments: [
    ("  raw \n text\t", 3), ("e\u{301}\u{E9}", 3), ("שלום 👩‍👩‍👧‍👦", 5), ("a\r\nb", 1),
  ])
  func `a saved draft comes back exactly as typed, with its cursor`(text: String, cursor: Int) throws {
    do {
      let client = try bench.client()
      edit(client, text, cursor: cursor)
      try client.hardSave()
    }
    let entry = try bench.client().draft()
    #expect(Array(entry.buffer.content.text.utf8) == Array(text.utf8))
    #expect(entry.buffer.content.selection == TextRange(start: cursor, end: cursor))
    #expect(entry.isRecovered)
  }

  // D9.2
  @Test func `a cursor out of range comes back as none`() throws {
    do {
      let client = try bench.client()
      edit(client, "hi", cursor: 7)
      try client.hardSave()
    }
    #expect(try bench.client().draft().buffer.content == DraftContent("hi"))
  }

  @Test func `U+0000 is replaced as it is typed, and the cursor keeps its place`() throws {
    do {
      let client = try bench.client()
      edit(client, "a\0b", cursor: 3)
      #expect(client.drafts.text(in: eg.conversation) == "a\u{FFFD}b")
      try client.hardSave()
    }
    #expect(
      try bench.client().draft().buffer.content
        == DraftContent("a\u{FFFD}b", selection: TextRange(start: 3, end: 3)))
  }

  // D16
  @Test func `a draft of exactly the limit is saved, and one byte more stays in the composer`() throws {
    let client = try bench.client()
    let limit = String(repeating: "x", count: Drafts.maximumBytes)
    edit(client, limit)
    try client.hardSave()
    #expect(try client.storedDraft()?.text.utf8.count == Drafts.maximumBytes)
    edit(client, limit + "y")
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .draftTooLong }
    #expect(client.draft().problem?.code == .draftTooLong)
    #expect(client.drafts.text(in: eg.conversation).utf8.count == Drafts.maximumBytes + 1)
    #expect(
      try client.storedDraft()?.text.utf8.count == Drafts.maximumBytes,
      "What was saved before is still there.")
  }

  // D2.1, D3.1
  @Test func `typing is saved 700 ms after the last keystroke, and every 10 s without a pause`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        edit(client, "h")
        try await bench.pass(.milliseconds(699))
        #expect(try client.storedDraft() == nil)
        try await bench.pass(.milliseconds(2))
        #expect(try client.storedDraft()?.text == "h")
        var text = "h"
        let start = bench.scheduler.now
        while bench.scheduler.now - start < .milliseconds(10_400) {
          text += "x"
          edit(client, text)
          try await bench.pass(.milliseconds(600))
        }
        let saved = try #require(try client.storedDraft()?.text)
        #expect(saved.count == 18, "It was saved at the tenth second, between two keystrokes.")
      }
    }
  }

  // D3.2
  @Test func `an app sets the pause and the longest time without a save`() throws {
    try Bench.simulate { bench in
      let saving = ChatConfiguration.SaveIntervals(pause: .milliseconds(200), ceiling: .seconds(1))
      try await bench.running(.init(saving: saving)) { client in
        edit(client, "h")
        try await bench.pass(.milliseconds(199))
        #expect(try client.storedDraft() == nil)
        try await bench.pass(.milliseconds(2))
        #expect(try client.storedDraft()?.text == "h")
        for length in 2...7 {
          edit(client, String(repeating: "h", count: length))
          try await bench.pass(.milliseconds(180))
        }
        #expect(
          try client.storedDraft()?.text.count == 7, "It was saved in the first second, without a pause.")
      }
    }
  }

  // D18.1
  @Test func `nothing is written when nothing changed`() throws {
    let client = try bench.client()
    edit(client, "hi")
    try client.hardSave()
    bench.gate.fail()
    try client.hardSave()
    edit(client, "hi")
    try client.hardSave()
  }

  // D6.1
  @Test(arguments: ["", "  \n"])
  func `an emptied draft is deleted`(text: String) throws {
    let client = try bench.client()
    edit(client, "hi")
    try client.hardSave()
    edit(client, text)
    try client.hardSave()
    #expect(try client.storedDraft() == nil)
    #expect(client.drafts.text(in: eg.conversation) == text, "The composer keeps what is in it.")
  }

  // D1.2
  @Test func `the new message and the edit are two drafts`() throws {
    let client = try bench.client()
    let edit = DraftKey(conversation: eg.conversation.key, slot: .edit)
    self.edit(client, "new")
    #expect(client.drafts.open(edit).buffer.content.text == "")
    #expect(client.drafts.text(in: eg.conversation) == "new")
  }

  // D4.3, S4.1, S4.3
  @Test func `a save that fails says so and keeps the text, and works once there is room`() throws {
    let client = try bench.client()
    edit(client, "hello")
    bench.gate.fail()
    for save in [client.hardSave, { try client.drafts.save(in: eg.conversation) }] as [() throws -> Void] {
      #expect { try save() } throws: { ($0 as? ChatError)?.code == .storageFull }
    }
    #expect(client.drafts.text(in: eg.conversation) == "hello")
    #expect(client.draft().problem?.code == .storageFull)
    bench.gate.heal()
    try client.hardSave()
    #expect(client.draft().problem == nil)
    #expect(try client.storedDraft()?.text == "hello")
  }

  // D4
  @Test func `one composer that cannot be saved does not keep the others from being saved`() throws {
    let client = try bench.client()
    try client.createConversation("z")
    client.drafts.edit(DraftKey(conversation: "nowhere"), DraftContent("lost?"))
    client.drafts.edit("kept", in: "z")
    client.drafts.edit("kept too", in: eg.conversation)
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .unknownConversation }
    #expect(try client.storedDraft()?.text == "kept too")
    #expect(try client.storedDraft(DraftKey(conversation: "z"))?.text == "kept")
  }

  // S4.1, S4.3
  @Test func `an autosave that fails is shown, and tried again 10 s later`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let told = Signal()
        edit(client, "hello")
        _ = client.store.changes.subscribe(told) { !$0.drafts.isEmpty }
        bench.gate.fail()
        try await bench.pass(.seconds(1))
        await told.wait()
        #expect(client.draft().problem?.code == .storageFull)
        #expect(client.drafts.text(in: eg.conversation) == "hello")
        bench.gate.heal()
        try await bench.pass(.seconds(9))
        #expect(try client.storedDraft() == nil)
        try await bench.pass(.seconds(1))
        #expect(try client.storedDraft()?.text == "hello")
        #expect(client.draft().problem == nil)
      }
    }
  }

  // D17.2
  @Test func `text that is typed before the draft is loaded is merged behind it, on the next keystroke`()
    throws
  {
    let client = try bench.client()
    edit(client, "stored")
    try client.hardSave()
    let later = try bench.client()
    try StoreSurgery.hideDrafts(of: later)
    #expect(later.draft().problem != nil)
    #expect(!later.draft().isLoaded)
    edit(later, "ty")
    edit(later, "typ")
    #expect(later.drafts.text(in: eg.conversation) == "typ")
    try StoreSurgery.showDrafts(of: later)
    edit(later, "typed")
    #expect(later.drafts.text(in: eg.conversation) == "stored\ntyped")
    try later.hardSave()
    #expect(try later.storedDraft()?.text == "stored\ntyped")
  }

  // D17.1
  @Test func `a draft that is not loaded can be neither saved, cleared nor sent, and says so`() throws {
    let client = try bench.client()
    edit(client, "stored")
    try client.hardSave()
    let later = try bench.client()
    try StoreSurgery.hideDrafts(of: later)
    _ = later.draft()
    try later.hardSave()
    edit(later, "typed")
    #expect(throws: ChatError.self) { try later.hardSave() }
    #expect(throws: ChatError.self) { try later.drafts.save(in: eg.conversation) }
    #expect(throws: ChatError.self) { try later.conversation(eg.conversation).sendDraft() }
    edit(later, "")
    try StoreSurgery.showDrafts(of: later)
    try later.hardSave()
    #expect(later.drafts.text(in: eg.conversation) == "stored")
    #expect(try later.storedDraft()?.text == "stored")
  }

  // D17.2
  @Test func `loading is tried again by itself`() throws {
    try Bench.simulate { bench in
      do {
        let client = try bench.client(isSimulated: true)
        edit(client, "stored")
        try client.hardSave()
      }
      try await bench.running { client in
        try StoreSurgery.hideDrafts(of: client)
        _ = client.draft()
        edit(client, "typed")
        try await bench.pass(.seconds(1))
        try StoreSurgery.showDrafts(of: client)
        try await bench.pass(.seconds(10))
        #expect(try client.storedDraft()?.text == "stored\ntyped")
      }
    }
  }

  @Test func `a keystroke before the composer is opened replaces the stored text`() throws {
    do {
      let client = try bench.client()
      edit(client, "old")
      try client.hardSave()
    }
    let client = try bench.client()
    edit(client, "new")
    try client.hardSave()
    #expect(try client.storedDraft()?.text == "new")
  }

  // D8.2, D8.4
  @Test func `a draft older than the last sent message does not come back, whatever the clock says`() throws {
    let client = try bench.client()
    edit(client, "old")
    try client.hardSave()
    // Another process of the app has sent the draft. The row of this process is still there.
    try client.store.write {
      try $0.conversations.noteSend(
        "m", title: "", in: eg.conversation.key, endsDraft: true, now: .distantPast)
    }
    #expect(try client.storedDraft() == nil)
    #expect(try bench.client().drafts.text(in: eg.conversation) == "")
    #expect(try client.reader.list(limit: 1).rows.first?.isDraft == false)
  }

  // D10.2, D10.4
  @Test func `a draft is recovered only in a later session, and until it is touched`() throws {
    let client = try bench.client()
    edit(client, "hi", cursor: 2)
    try client.hardSave()
    #expect(!client.draft().isRecovered)
    let later = try bench.client()
    #expect(later.draft().isRecovered)
    edit(later, "hi", cursor: 0)
    #expect(later.draft().isRecovered, "Moving the cursor is not typing.")
    edit(later, "hi!")
    #expect(!later.draft().isRecovered)
  }

  // D1.1, D1.6
  @Test func `a draft knows which message had been sent last, and keeps its ID while it lives`() throws {
    let client = try bench.client()
    edit(client, "first")
    let sent = try client.conversation(eg.conversation).sendDraft()
    func saved(_ text: String) throws -> [String?] {
      edit(client, text)
      try client.hardSave()
      return try StoreSurgery.identityOfDraft(of: client)
    }
    let first = try saved("a")
    #expect(first[1] == sent.rawValue)
    #expect(try saved("b") == first)
  }

  @Test func `a failed save says nothing of the contents`() throws {
    let client = try bench.client()
    edit(client, "secret")
    bench.gate.fail()
    #expect { try client.hardSave() } throws: { !"\($0)".contains("secret") }
    #expect(bench.log.lines.contains { $0.contains("draft not saved") })
    #expect(!bench.log.lines.contains { $0.contains("secret") })
  }
}

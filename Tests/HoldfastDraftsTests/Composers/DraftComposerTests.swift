import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The composer of an app that sends messages itself.
@Suite(.timeLimit(.minutes(10))) struct DraftComposerTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A launch of an app that sends messages itself.
  private func launch() throws -> DraftController {
    DraftController(
      store: try bench.store(), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
  }

  private func openComposer() throws -> DraftComposer { try launch().composer(in: eg.conversation) }

  /// A launch with a stored draft that the app has not received yet.
  private func launchWithDraft(_ text: String = "stored") throws -> DraftComposer {
    do {
      let composer = try openComposer()
      composer.edit(text)
      try composer.hardSave()
    }
    return try openComposer()
  }

  // D17.1, D17.2
  @Test func `text that is typed before the draft is restored goes behind it`() throws {
    let composer = try launchWithDraft()
    composer.edit("n")
    composer.edit("new")
    try composer.hardSave()
    composer.edit("newer")
    #expect(try composer.content().text == "stored\nnewer")
    composer.edit("all of it anew")
    #expect(try composer.content().text == "all of it anew", "The app had shown what it replaces.")
  }

  // D17.1, D17.2
  @Test func `text that is typed before the draft can be read goes behind it`() throws {
    let composer = try launchWithDraft()
    try StoreSurgery.hideDrafts(in: composer.drafts.store)
    composer.edit("n")
    composer.edit("new")
    #expect(throws: ChatError.self) { try composer.hardSave() }
    #expect(throws: ChatError.self) { try composer.content() }
    try StoreSurgery.showDrafts(in: composer.drafts.store)
    try composer.hardSave()
    composer.edit("newer")
    #expect(try composer.content().text == "stored\nnewer")
  }

  // D17.1
  @Test func `what nobody has seen is neither sent nor discarded`() throws {
    let composer = try launchWithDraft()
    composer.edit("new")
    #expect { try composer.discard() } throws: { ($0 as? ChatError)?.code == .draftChanged }
    try composer.sendSucceeded("m1")
    #expect(try composer.content().text == "stored")
    try composer.discard()
    #expect(try openComposer().content().text == "")
  }

  // D18.2, D18.3, D18.5, D18.6
  @Test func `an emptied text can be taken back, until it is sent or discarded`() throws {
    let composer = try launchWithDraft("a long thought")
    #expect(try composer.content().text == "a long thought")
    composer.edit("")
    let versions = try composer.versions()
    #expect(versions.map(\.text) == ["a long thought"])
    #expect(try composer.restoreVersion(versions[0].id).text == "a long thought")
    #expect(try openComposer().content().text == "a long thought")
    for end in 0...1 {
      composer.edit("another thought")
      composer.edit("")
      #expect(try !composer.versions().isEmpty)
      composer.edit("the last")
      if end == 0 { try composer.sendSucceeded("m1") }
      if end == 1 { try composer.discard() }
      #expect(try composer.versions().isEmpty)
    }
  }

  // D18.1
  @Test func `a save writes nothing when nothing changed`() throws {
    let composer = try launchWithDraft()
    #expect(try composer.content().text == "stored")
    let saves = try composer.drafts.metrics().saves
    composer.edit("stored")
    try composer.hardSave()
    #expect(try composer.drafts.metrics().saves == saves)
  }

  // D1.3, D1.9, D5.1
  @Test func `an edit leaves the new message alone, survives a kill, and ends when it is sent`() throws {
    do {
      let composer = try launchWithDraft("unsent")
      #expect(try composer.beginEdit("m1", text: "at eight").text == "at eight")
      #expect(composer.unfinishedEdit == nil)
      composer.edit("at nine")
      try composer.hardSave()
      #expect(composer.unfinishedEdit == "m1")
    }
    let composer = try openComposer()
    #expect(try composer.content().text == "unsent")
    #expect(composer.unfinishedEdit == "m1")
    #expect { try composer.beginEdit("m2", text: "") } throws: {
      ($0 as? ChatError)?.code == .editInProgress
    }
    #expect(try composer.beginEdit("m1", text: "at eight").text == "at nine")
    composer.edit("at ten")
    try composer.sendSucceeded("m1", text: "at nine")
    #expect(try composer.content().text == "at ten", "It was typed on meanwhile.")
    try composer.sendSucceeded("m1", text: "at ten")
    #expect(try composer.content().text == "unsent")
    #expect(composer.unfinishedEdit == nil)
    #expect(try openComposer().content().text == "unsent")
  }

  // D1.3, D10.7
  @Test func `a cancelled edit gives the new message back, and Undo goes on with the edit`() throws {
    let composer = try launchWithDraft("unsent")
    _ = try composer.beginEdit("m1", text: "at eight")
    composer.edit("at nine")
    try composer.hardSave()
    #expect(try composer.cancelEdit().text == "unsent")
    #expect(composer.unfinishedEdit == nil)
    #expect(composer.banner?.kind == .discarded)
    #expect(try composer.undoDiscard()?.text == "at nine")
    #expect(composer.unfinishedEdit == "m1")
    try composer.discard()
    #expect(try composer.content().text == "unsent")
  }

  // D1.7, D16.3, D16.5
  @Test func `a file is kept with the draft, and goes when the draft is sent`() throws {
    let composer = try launchWithDraft("look")
    func file(_ attachment: ChatAttachment) -> URL? { composer.drafts.store.fileHere(attachment.checksum) }
    let map = try composer.attach(Data("a map".utf8), name: "map.txt")
    let hill = try composer.attach(Data("a hill".utf8), name: "hill.png")
    #expect(try composer.content().attachments == [map, hill])
    try composer.removeAttachment(hill.id)
    #expect(file(hill) == nil)
    let kept = try #require(try launch().attachmentFile(map.checksum))
    #expect(try Data(contentsOf: kept) == Data("a map".utf8))
    composer.edit("look at this")
    try composer.sendSucceeded("m1", text: "look", attachments: [map])
    #expect(try composer.content() == DraftContent("look at this"))
    #expect(file(map) == nil)
    _ = try composer.beginEdit("m1", text: "look")
    #expect { try composer.attach(Data(), name: "x") } throws: {
      ($0 as? ChatError)?.code == .editInProgress
    }
  }
}

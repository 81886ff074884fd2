import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@MainActor @Suite struct VersionsTests {
  private let bench: Bench
  private let letter = "Dear Bob, I have thought about it for long"

  init() throws { bench = try Bench() }

  private func composer() throws -> ComposerModel { ComposerModel(try bench.client(), eg.conversation) }

  private func save(_ texts: String..., in composer: ComposerModel) {
    for text in texts {
      composer.edit(text)
      composer.hardSave()
    }
  }

  private func isInFiles(_ text: String) throws -> Bool {
    try ["store.sqlite", "store.sqlite-wal"].contains { name in
      try bench.scratch.bytes(of: name).range(of: Data(text.utf8)) != nil
    }
  }

  // D5.1, D18.3
  @Test func `an accidental select-all-and-delete is taken back, after a crash too`() throws {
    do {
      let composer = try composer()
      save(letter, "", in: composer)
      #expect(composer.snapshot.canTakeBack)
    }
    let composer = try composer()
    #expect(composer.snapshot.text == "", "D6: what is empty is no draft.")
    #expect(composer.snapshot.canTakeBack)
    let version = try #require(composer.versions().first)
    #expect(version.text == letter)
    #expect(version.keptAt == eg.date)
    composer.restoreVersion(version.id)
    #expect(composer.snapshot.text == letter)
    #expect(composer.snapshot.generation == 1)
    #expect(!composer.snapshot.canTakeBack, "It is the draft again.")
    #expect(try self.composer().snapshot.text == letter, "It is on disk.")
  }

  // D18.3: the user selects all and deletes, and the app is killed before the text was ever stored.
  @Test func `text that was typed and erased between two saves is kept too`() throws {
    let composer = try composer()
    composer.edit(letter)
    composer.edit("")
    #expect(composer.snapshot.canTakeBack)
    composer.hardSave()
    #expect(try self.composer().versions().map(\.text) == [letter])
  }

  // D18
  @Test func `appending, small corrections and typing back make no version`() throws {
    let composer = try composer()
    let corrected = letter.replacing("long", with: "ever")
    save(letter, letter + " and long", corrected, in: composer)
    composer.edit("")
    composer.edit(corrected)
    composer.hardSave()
    #expect(!composer.snapshot.canTakeBack)
    #expect(composer.versions() == [])
  }

  // D18.3
  @Test func `a text that is pasted over is kept, and restoring it keeps what is there`() throws {
    let composer = try composer()
    save(letter, "Something else entirely", in: composer)
    composer.restoreVersion(try #require(composer.versions().first?.id))
    #expect(composer.snapshot.text == letter)
    #expect(composer.versions().map(\.text) == ["Something else entirely"])
    composer.edit("No")
    composer.restoreVersion(try #require(composer.versions().first?.id))
    #expect(composer.versions().map(\.text).first == "No", "Even a short text that was not stored yet.")
  }

  // D18.2
  @Test func `the last five are kept`() throws {
    let composer = try composer()
    for number in 1...7 {
      save("This is the text with number \(number)", "", in: composer)
    }
    #expect(composer.versions().map(\.text.last) == ["7", "6", "5", "4", "3"])
  }

  // D18.5
  @Test func `sending removes the versions too`() throws {
    let composer = try composer()
    save(letter, "", "Something else", in: composer)
    #expect(composer.snapshot.canTakeBack)
    composer.send()
    #expect(!composer.snapshot.canTakeBack)
    #expect(composer.versions() == [])
    #expect(try composer.client.drafts.storedWithVersions(in: eg.conversation) == [])
  }

  // D18.6, S9.1
  @Test func `discarding takes the versions out of the bytes of the files`() throws {
    let composer = try composer()
    save(letter, "", "Something else", in: composer)
    #expect(try isInFiles(letter))
    composer.discard()
    #expect(try !isInFiles(letter))
    #expect(try !isInFiles("Something else"))
    #expect(composer.versions() == [])
  }

  // D18, S4.3: the draft and its version are stored in one transaction.
  @Test func `a save that fails keeps text and version for the next one`() throws {
    let composer = try composer()
    save(letter, in: composer)
    bench.gate.fail()
    save("", in: composer)
    #expect(composer.snapshot.problem != nil)
    bench.gate.heal()
    composer.hardSave()
    #expect(composer.versions().map(\.text) == [letter])
  }

  @Test func `a version that is gone is told`() throws {
    let composer = try composer()
    composer.edit("hello")
    composer.restoreVersion(42)
    #expect(composer.snapshot.problem != nil)
    #expect(composer.snapshot.text == "hello")
  }
}

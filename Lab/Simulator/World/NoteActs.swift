import Foundation
import Holdfast

/// A conversation of one user alone, made to be deleted (rule H5).
struct Note: Sendable, Hashable {
  let id: ConversationID
  /// A single word, so that even an index of words can distinguish the note from all others.
  let word: String
  let sent: [String]
  /// The time of the note's final deletion. Nil while the note may exist.
  var deletedAt: Duration?
  /// Whether the note's messages were deleted for good, and nothing was written to it since.
  var isEmptied = false

  init(_ number: Int, of process: String) {
    id = ConversationID(rawValue: "\(Self.prefix)\(process)-\(number)")
    let word = "note" + process.filter(\.isLetter) + "n\(process.count { $0 == "2" })x\(number)x"
    self.word = word
    // Some notes take several pages. SQLite leaves copies of such pages when it merges rows during the erasure.
    let isLong = number.isMultiple(of: 5)
    sent = (0..<(isLong ? Self.longCount : 1)).map { place in
      let times = isLong ? (place * 37 + number * 13) % 101 : 0
      return (["\(word) sent"] + Array(repeating: word, count: times)).joined(separator: " ")
    }
  }

  static let longCount = 9
  var typed: String { "\(word) typed" }

  static let prefix = "notes-"
}

/// Users delete conversations, and sometimes undo the deletion. A deleted conversation is nowhere from then on, and
/// a restored conversation is whole.
extension PhoneUser {
  /// The time after a deletion by which nothing of the note is in the files, if no fault strikes.
  private static let goneAfter: Duration = .seconds(60)

  /// Makes a note and deletes it. The user may undo the deletion, and then deletes the note again.
  func makeAndDeleteNote() async {
    let note = phone.memory.withLock { memory in
      memory.noteCount += 1
      let note = Note(memory.noteCount, of: name)
      memory.notes.append(note)
      return note
    }
    do {
      try client.createConversation(note.id)
      for text in note.sent { try client.send(text, in: note.id) }
    } catch {
      return checkRefusal(error)
    }
    world.trace(name, "makes \(note.id)")
    client.drafts.edit(note.typed, in: note.id)
    await pause(upTo: 4_000)
    while await delete(note), world.scheduler.draw({ $0.chance(0.5) }) {
      await pause(upTo: 6_000)
      guard await undoDeletion(of: note) else { return }
      await pause(upTo: 2_000)
    }
  }

  /// Makes a note and empties it. The user may undo that, and empties the note again. Finally the note is deleted.
  func makeAndEmptyNote() async {
    let note = phone.memory.withLock { memory in
      memory.emptyings += 1
      let note = Note(Self.firstEmptied + memory.emptyings, of: name)
      memory.notes.append(note)
      return note
    }
    do {
      try client.createConversation(note.id)
      for text in note.sent { try client.send(text, in: note.id) }
    } catch {
      return checkRefusal(error)
    }
    world.trace(name, "makes \(note.id)")
    client.drafts.edit(note.typed, in: note.id)
    await pause(upTo: 4_000)
    while await empty(note), world.scheduler.draw({ $0.chance(0.5) }) {
      await pause(upTo: 6_000)
      guard await undoEmptying(of: note) else { break }
      await pause(upTo: 2_000)
    }
    await pause(upTo: 20_000)
    checkIsEmpty(note)
    _ = await delete(note)
  }

  /// The first number of notes that are emptied. No other note has such a number.
  private static let firstEmptied = 1_000

  private func empty(_ note: Note) async -> Bool {
    guard !gate.isDead, !Task.isCancelled else { return false }
    do {
      try await client.conversation(note.id).empty()
    } catch {
      checkRefusal(error)
      return false
    }
    guard !gate.isDead else { return false }
    world.count(deed: "empty conversation")
    world.trace(name, "empties \(note.id)")
    noteEmptied(note, true)
    checkIsEmpty(note)
    let typed = client.drafts.text(in: note.id)
    if typed != note.typed, !gate.isDead {
      phone.fail(
        "an emptied conversation keeps its draft", expected: "'\(note.typed)' in the composer",
        found: "'\(typed)'")
    }
    return true
  }

  private func undoEmptying(of note: Note) async -> Bool {
    guard !gate.isDead, !Task.isCancelled else { return false }
    // From here on the messages may exist, even if the call does not return.
    noteEmptied(note, false)
    do {
      try await client.conversation(note.id).undoEmptying()
    } catch {
      checkRefusal(error)
      if error.code == .tooLate { noteEmptied(note, true) }
      return false
    }
    guard !gate.isDead else { return false }
    world.count(deed: "undo emptying")
    world.trace(name, "brings the messages of \(note.id) back")
    let rows = (try? client.reader.conversation(note.id, limit: Note.longCount + 1).rows.map(\.text)) ?? []
    let typed = client.drafts.text(in: note.id)
    if rows.sorted() != note.sent.sorted() || typed != note.typed, !gate.isDead {
      phone.fail(
        "undo brings a conversation back", expected: "'\(note.sent)', and '\(note.typed)' in the composer",
        found: "\(rows), and '\(typed)'")
    }
    return true
  }

  private func noteEmptied(_ note: Note, _ isEmptied: Bool) {
    phone.memory.withLock { memory in
      guard let index = memory.notes.firstIndex(where: { $0.id == note.id }) else { return }
      memory.notes[index].isEmptied = isEmptied
    }
  }

  /// Checks that the note exists without a message, if it was emptied for good.
  private func checkIsEmpty(_ note: Note) {
    let isEmptied = phone.memory.withLock { $0.notes.first { $0.id == note.id }?.isEmptied } ?? false
    guard isEmptied, !gate.isDead, !Task.isCancelled,
      let snapshot = try? client.reader.conversation(note.id, limit: Note.longCount + 1),
      !snapshot.exists || !snapshot.rows.isEmpty, !gate.isDead
    else { return }
    phone.fail(
      "an emptied conversation stays, and stays empty", expected: "\(note.id) without messages",
      found: snapshot.exists ? "\(snapshot.rows.map(\.text))" : "nothing")
  }

  /// Finishes the deletions that the end of a process, or a full disk, left half done. Searches for the deleted
  /// notes.
  func lookAfterNotes() async {
    for note in phone.memory.withLock({ $0.notes }) where !gate.isDead && !Task.isCancelled {
      if let deletedAt = note.deletedAt {
        guard let healedAt = world.healedAt,
          world.scheduler.now > max(deletedAt, healedAt) + Self.goneAfter
        else { continue }
        checkIsGone(note)
        phone.memory.withLock { $0.notes.removeAll { $0.id == note.id } }
      } else if (try? client.reader.conversation(note.id, limit: 1).exists) == true {
        checkIsEmpty(note)
        _ = await delete(note)
      } else if !gate.isDead {
        noteDeleted(note)
      }
    }
  }

  private func delete(_ note: Note) async -> Bool {
    guard !gate.isDead, !Task.isCancelled else { return false }
    do {
      try await client.conversation(note.id).delete()
    } catch {
      checkRefusal(error)
      return false
    }
    guard !gate.isDead else { return false }
    world.count(deed: "delete conversation")
    world.trace(name, "deletes \(note.id)")
    noteDeleted(note)
    let left = client.drafts.text(in: note.id)
    if (try? client.reader.conversation(note.id, limit: 1).exists) == true || !left.isEmpty, !gate.isDead {
      phone.fail("what is deleted is gone", expected: "no \(note.id)", found: "it, with '\(left)'")
    }
    return true
  }

  private func noteDeleted(_ note: Note) {
    phone.memory.withLock { memory in
      guard let index = memory.notes.firstIndex(where: { $0.id == note.id }) else { return }
      memory.notes[index].deletedAt = world.scheduler.now
    }
  }

  private func undoDeletion(of note: Note) async -> Bool {
    guard !gate.isDead, !Task.isCancelled else { return false }
    // From here on the note may exist, even if the call does not return.
    phone.memory.withLock { memory in
      guard let index = memory.notes.firstIndex(where: { $0.id == note.id }) else { return }
      memory.notes[index].deletedAt = nil
    }
    do {
      try await client.conversation(note.id).undoDeletion()
    } catch {
      checkRefusal(error)
      return false
    }
    guard !gate.isDead else { return false }
    world.count(deed: "undo deletion")
    world.trace(name, "brings \(note.id) back")
    let rows = (try? client.reader.conversation(note.id, limit: Note.longCount + 1).rows.map(\.text)) ?? []
    let typed = client.drafts.text(in: note.id)
    if rows.sorted() != note.sent.sorted() || typed != note.typed, !gate.isDead {
      phone.fail(
        "undo brings a conversation back", expected: "'\(note.sent)', and '\(note.typed)' in the composer",
        found: "\(rows), and '\(typed)'")
    }
    return true
  }

  private func checkIsGone(_ note: Note) {
    if (try? client.reader.conversation(note.id, limit: 1).exists) == true, !gate.isDead {
      phone.fail("what is deleted is gone", expected: "no \(note.id)", found: "it")
    }
    checkIsNowhere([note.word], promise: "what is deleted is gone")
  }

  private func pause(upTo milliseconds: Int) async {
    let length = world.scheduler.draw { $0.milliseconds(0...milliseconds) }
    try? await world.scheduler.sleep(until: world.scheduler.now + length)
  }
}

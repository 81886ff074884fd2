import Foundation
import Holdfast
import HoldfastRescue
import HoldfastTesting

/// Typing, saving, attaching, discarding and undoing.
extension PhoneUser {
  func type(_ text: String, in conversation: ConversationID) {
    let part = world.scheduler.draw { Int.random(in: 0...text.count, using: &$0) }
    edit(String(text.prefix(part)), in: conversation)
  }

  func edit(_ text: String, in conversation: ConversationID) {
    if phone.store != nil {
      let before = client.drafts.text(in: conversation)
      world.trace(name, "types '\(text)' over '\(before)' in \(conversation)")
      phone.noteShared(in: conversation) {
        $0.type(
          text, over: before, in: name, at: world.scheduler.now,
          savesItself: world.plan.faults[.phoneDisk] == 0)
      }
    }
    client.drafts.edit(text, in: phone.names.any(of: conversation))
    phone.memory.withLock {
      $0.drafts[conversation, default: DraftPromise()].type(text, at: world.scheduler.now)
    }
  }

  func save(_ text: String, in conversation: ConversationID) {
    edit(text, in: conversation)
    do {
      try client.drafts.save(in: conversation)
      phone.memory.withLock { $0.drafts[conversation]?.store(text) }
      phone.noteShared(in: conversation) { $0.store(name) }
    } catch {
      checkRefusal(error)
    }
  }

  func hideApp() {
    do {
      try client.hardSave()
      phone.memory.withLock { memory in
        for (conversation, draft) in memory.drafts { memory.drafts[conversation]?.store(draft.text) }
        for (window, promise) in memory.places { memory.places[window]?.store(promise.place) }
      }
      for conversation in phone.conversations { phone.noteShared(in: conversation) { $0.store(name) } }
    } catch {
      checkRefusal(error)
    }
  }

  /// Discards the draft in the composer. Some of these texts were never stored, and some are unique, so that the
  /// files can be searched for them.
  func discard(in conversation: ConversationID) {
    if world.scheduler.draw({ $0.chance(0.6) }) { writeSecret(in: conversation) }
    let shown = client.drafts.text(in: conversation)
    guard !gate.isDead, !shown.allSatisfy(\.isWhitespace) else { return }
    phone.memory.withLock { $0.answered[conversation] = nil }
    // The call itself reports when another process has changed the draft meanwhile.
    phone.noteShared(in: conversation) { $0.release(shown, in: name, isSent: false) }
    let isDone = begin(.discard(conversation), { try client.drafts.discard(in: conversation) }) { draft in
      let until = world.scheduler.now + Self.undoFor
      phone.memory.withLock { memory in
        memory.drafts[conversation, default: DraftPromise()].store("")
        memory.discarded = .init(conversation: conversation, draft: draft, until: until)
      }
      world.trace(name, "discards a draft in \(conversation)")
      world.count(deed: "discard")
    }
    if isDone { checkDiscard(shown, in: conversation) }
  }

  private static let undoFor: Duration = .seconds(8)

  private func writeSecret(in conversation: ConversationID) {
    let number = phone.memory.withLock { memory in
      memory.secrets += 1
      return memory.secrets
    }
    let secret = "\(name)'s secret \(number)."
    edit(secret, in: conversation)
    if world.scheduler.draw({ $0.chance(0.7) }) { save(secret, in: conversation) }
  }

  /// Undoes the last discard, within the time in which the app offers it. Its files come back too, once there is
  /// space for them.
  func undo() async {
    let remembered = phone.memory.withLock { memory in
      defer { memory.discarded = nil }
      return memory.discarded
    }
    guard var discarded = remembered, world.scheduler.now < discarded.until else { return }
    let conversation = discarded.conversation
    guard !phone.isSent(discarded.draft.content.text, in: conversation) else { return }
    let text = phone.memory.withLock { memory in
      memory.drafts[conversation, default: DraftPromise()]
        .bringBack(discarded.draft.content.text, at: world.scheduler.now)
    }
    do {
      try client.drafts.restore(&discarded.draft, in: conversation)
      phone.memory.withLock { $0.drafts[conversation]?.store(text) }
      phone.noteShared(in: conversation) { shared in
        shared.store(name)
        shared.keep(discarded.draft.content.text)
      }
      world.trace(name, "brings a draft back in \(conversation)")
      world.count(deed: "undo")
    } catch {
      checkRefusal(error)
    }
    guard !gate.isDead else { return }
    let found = client.drafts.text(in: conversation)
    let isBack = phone.store == nil ? found == text : found.contains(discarded.draft.content.text)
    if !isBack {
      phone.fail("undo brings a draft back", expected: "'\(text)' in the composer", found: "'\(found)'")
    }
    while discarded.draft.hasFilesLeft {
      try? await world.scheduler.sleep(until: world.scheduler.now + .seconds(1))
      guard !gate.isDead, !Task.isCancelled else { return }
      do { try client.drafts.restore(&discarded.draft, in: conversation) } catch { checkRefusal(error) }
    }
    guard phone.store == nil, !gate.isDead else { return }
    checkFiles(of: discarded.draft.content.attachments, in: conversation)
  }

  private func checkFiles(of attachments: [ChatAttachment], in conversation: ConversationID) {
    let missing = attachments.filter { attachment in
      !client.drafts.attachments(in: conversation).contains(attachment)
        || client.attachmentFile(attachment.checksum) == nil
    }
    if !missing.isEmpty {
      phone.fail(
        "undo brings a draft back", expected: "\(attachments.count) files in the composer",
        found: "\(missing.count) of them missing")
    }
  }

  /// Picks a file now and then. The file is stored together with the typed text.
  func attach(besides text: String, in conversation: ConversationID) {
    guard phone.memory.withLock({ $0.attachments }) < phone.plan.attachments else { return }
    guard let file = world.scheduler.draw({ $0.chance(0.5) ? Self.file(from: &$0) : nil }) else { return }
    do {
      let attachment = try client.conversation(conversation).attach(file, name: "\(device).bin")
      phone.memory.withLock { memory in
        memory.attachments += 1
        memory.drafts[conversation]?.store(text)
      }
      phone.noteShared(in: conversation) { $0.store(name) }
      world.trace(name, "attaches \(attachment.byteCount) bytes in \(conversation)")
      world.count(deed: "attach")
    } catch {
      checkRefusal(error)
    }
  }

  /// Draws the bytes of a file: none, a few, or several pieces. Some files are the same for all users.
  private static func file(from random: inout SeededRandom) -> Data {
    let drawn =
      random.chance(0.1) ? 0 : Int.random(in: 1...(random.chance(0.3) ? 150_000 : 500), using: &random)
    let dice = random.next()
    let isShared = dice.isMultiple(of: 4)
    let (count, start) = isShared ? ([20, 100_000][Int(dice / 4 % 2)], 0) : (drawn, dice)
    return Data((0..<count).map { UInt8(truncatingIfNeeded: (start &+ UInt64($0)) &* 0x9E37_79B9 >> 8) })
  }

  /// Checks a discard (rule D10): when it returns, the text is in no composer, in no row, and not in the bytes of
  /// the files.
  private func checkDiscard(_ discarded: String, in conversation: ConversationID) {
    let files = client.drafts.attachments(in: conversation)
    if phone.store == nil, !files.isEmpty {
      phone.fail(
        "what is discarded is gone", expected: "no draft in \(conversation)", found: "\(files.count) files")
    }
    let left =
      [client.drafts.text(in: conversation)]
      + ((try? client.drafts.storedWithVersions(in: conversation)) ?? [])
    // A text that another process has stored since stays. It may begin with the letters of a text that was only
    // partly typed.
    let whole = discarded.split(separator: "\n").filter { $0.hasSuffix(".") }
    if let left = left.first(where: { phone.store == nil ? !$0.isEmpty : whole.contains(where: $0.contains) })
    {
      phone.fail("what is discarded is gone", expected: "no draft in \(conversation)", found: "'\(left)'")
    }
    let texts = phone.memory.withLock { memory in
      memory.forgotten + (memory.discarded.map { [$0.draft.content.text] } ?? [])
    }
    // Searching the files is slow.
    guard world.scheduler.draw({ $0.chance(0.2) }) else { return }
    let secrets = texts.flatMap { $0.split(separator: "\n") }.filter { $0.contains("'s secret ") }
      .map(String.init)
    checkIsNowhere(secrets, promise: "what is discarded is gone")
  }

  /// Checks the files (rule S9): the words are in the journal only as part of a copy that SQLite left in a page, and
  /// in none of the files once the app has entered the background.
  func checkIsNowhere(_ words: [String], promise: String) {
    let (database, journal) = ("store.sqlite", "store.sqlite-wal")
    if let copies = try? PageImage(database: file(database), journal: file(journal)) {
      let pages = (1...max(1, copies.pageCount)).compactMap { copies.page($0).map { Data($0) } }
      let words = words.filter { word in !pages.contains { $0.range(of: Data(word.utf8)) != nil } }
      check(journal, hasNone: words, promise)
    }
    try? client.saveAndTidyUp()
    // When the disk is full or the process ends, the store is compacted the next time.
    guard !gate.isDead, client.store.isCompact else { return }
    check(database, hasNone: words, promise)
    check(journal, hasNone: words, promise)
  }

  private func file(_ name: String) -> URL { gate.folder.appendingPathComponent(name) }

  private func check(_ name: String, hasNone words: [String], _ promise: String) {
    guard let bytes = try? Data(contentsOf: file(name)) else { return }
    for word in words where bytes.range(of: Data(word.utf8)) != nil {
      phone.fail(promise, expected: "no '\(word)' on the disk", found: "it in \(name)")
    }
  }

  /// Records a discarded text that can no longer be restored. It must be nowhere from then on.
  func forgetDiscarded(in sent: ConversationID? = nil) {
    phone.memory.withLock { memory in
      guard let discarded = memory.discarded,
        discarded.until <= world.scheduler.now || discarded.conversation == sent
      else { return }
      memory.forgotten.append(discarded.draft.content.text)
      memory.discarded = nil
    }
  }
}

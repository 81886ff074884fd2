import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A draft that is about to be imported, with its files copied.
struct ImportedDraft {
  struct File {
    var copy: AttachmentFolder.Import
    var attachment: ChatAttachment
    /// The key under which the import of the file is recorded.
    var item: String
    /// The offset in the imported file.
    var offset: Int64
  }

  /// The result of an import.
  struct Outcome {
    enum Text { case draft, version, alreadyHere }

    var text = Text.alreadyHere
    /// The number of files that were added to the draft.
    var files = 0
    /// The offsets of the files that the draft had no room for.
    var leftOut: [Int64] = []
  }

  var content: DraftContent
  var files: [File]
  /// The key under which the import of the text is recorded.
  var item: String
  var savedAt: Date?
}

extension Drafts {
  /// Puts an imported draft into an empty composer. An existing draft stays: the text becomes a version of it, and
  /// the files join its files. The text, the files and the records of their import are one transaction.
  ///
  /// - Parameter limit: the most files that a draft may have.
  func bring(
    _ imported: ImportedDraft, into name: DraftKey, by owner: UserID, atMost limit: Int
  ) throws(ChatError) -> ImportedDraft.Outcome {
    let items = (imported.content.hasBlankText ? [] : [imported.item]) + imported.files.map(\.item)
    guard try !store.read({ db in try items.allSatisfy { try db.imports.contains($0) } }) else {
      return .init()
    }
    do throws(ChatError) {
      return try changing(name) { table, key, entry throws(ChatError) in
        try bring(imported, into: key, entry, by: owner, atMost: limit, &table)
      }
    } catch {
      // A file may already have its name when the commit fails.
      try? store.removeFiles(of: imported.files.map(\.copy.checksum))
      throw error
    }
  }

  private func bring(
    _ imported: ImportedDraft, into key: DraftKey, _ entry: DraftEntry, by owner: UserID, atMost limit: Int,
    _ table: inout DraftTable
  ) throws(ChatError) -> ImportedDraft.Outcome {
    var (outcome, count) = (ImportedDraft.Outcome(), entry.versionCount)
    try table.replace(key, entry) { present, transaction in
      try transaction.conversations.make(forDraftOf: key.conversation, by: owner, now: environment.now())
      let isNew = try isNew(imported, beside: present, transaction)
      var content = present
      // A text that was imported and discarded is not restored with its files.
      if present.isEmpty, isNew || imported.content.hasBlankText { content = imported.content }
      if isNew, !present.isEmpty {
        outcome.text = .version
        count = try transaction.drafts.keepVersions(
          [imported.content], of: key, besides: count, now: imported.savedAt ?? environment.now())
      }
      try add(imported.files, to: &content, atMost: limit, &outcome, transaction)
      if present.isEmpty, isNew || outcome.files > 0 { outcome.text = .draft }
      return content.isEmpty ? present : content
    }
    let present = table[key]?.versionCount ?? 0
    table[key]?.versionCount = max(count, present)
    guard outcome.text == .draft else { return outcome }
    table[key]?.isRecovered = true
    try date(key, imported.savedAt, &table)
    return outcome
  }

  /// Whether the text was not imported before, and is not in the composer.
  private func isNew(
    _ imported: ImportedDraft, beside present: DraftContent, _ transaction: Transaction
  ) throws -> Bool {
    guard !imported.content.hasBlankText, try transaction.imports.note(imported.item) else { return false }
    return !present.text.hasSameBytes(as: imported.content.text)
  }

  private func add(
    _ files: [ImportedDraft.File], to content: inout DraftContent, atMost limit: Int,
    _ outcome: inout ImportedDraft.Outcome, _ transaction: Transaction
  ) throws {
    for file in files {
      guard !content.attachments.contains(where: { $0.id == file.attachment.id }) else {
        _ = try transaction.imports.note(file.item)
        continue
      }
      guard try !transaction.imports.contains(file.item) else { continue }
      guard content.attachments.count < limit else {
        outcome.leftOut.append(file.offset)
        continue
      }
      _ = try transaction.imports.note(file.item)
      try store.attachments.settle(file.copy)
      try transaction.attachments.insert(file.attachment, isHere: true, now: environment.now())
      content.attachments.append(file.attachment)
      outcome.files += 1
    }
  }

  /// Sets the original date of an imported draft. A crash before this write only makes it look younger.
  private func date(_ key: DraftKey, _ date: Date?, _ table: inout DraftTable) throws(ChatError) {
    guard let date else { return }
    try store.writeUnsynced { try $0.drafts.setDate(key, date) }
    table[key]?.writtenAt = date
  }

  /// Puts an imported edit into its composer, and stores it. Returns false when the message cannot be edited here,
  /// or when an edit is in progress in its conversation.
  func bringEdit(
    _ content: DraftContent, of message: MessageID, in conversation: ConversationKey, savedAt: Date?,
    as item: String, by user: UserID
  ) throws(ChatError) -> Bool {
    let key = DraftKey(conversation: conversation, slot: .edit)
    guard unfinishedEdit(in: conversation) == nil else { return false }
    do throws(ChatError) {
      guard try beginEdit(message, in: conversation, by: user) else { return false }
    } catch {
      guard error.code == .unknownMessage || error.code == .editInProgress else { throw error }
      return false
    }
    edit(key, content)
    try save(key)
    // After a crash before this write, the text is imported a second time, as a separate draft beside the edit.
    try store.write { _ = try $0.imports.note(item) }
    try changing(key) { table, key, _ throws(ChatError) in try date(key, savedAt, &table) }
    return true
  }
}

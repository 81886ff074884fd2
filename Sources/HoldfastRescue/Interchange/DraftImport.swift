import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A draft in a file of drafts by project (SPEC H10).
private struct ProjectDraft: Decodable {
  var text: String
  var hasAttachments: Bool
  var savedAt: Int64?

  private enum Key: String, CodingKey { case text, attachments, savedAt }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    text = try fields.decodeIfPresent(String.self, forKey: .text) ?? ""
    hasAttachments = (try? fields.nestedUnkeyedContainer(forKey: .attachments)).map { !$0.isAtEnd } ?? false
    savedAt = fields.optional(InterchangeTime.self, .savedAt)?.microseconds
  }
}

/// Puts drafts of another app into their composers: a single draft, or one for each project.
final class DraftImport {
  private static let largestDraft = 16 << 20

  private let client: ChatClient
  private var report: ImportReport

  init(_ client: ChatClient, _ format: ImportFormat) {
    (self.client, report) = (client, ImportReport(format))
  }

  func run(_ start: JSONCursor) throws -> ImportReport {
    var cursor = start
    var (number, offset): (Int, Int64) = (0, 0)
    var single: (text: String?, conversation: String?) = (nil, nil)
    do {
      try cursor.skipMark()
      try cursor.expect(.openObject)
      while let key = try cursor.nextKey(isFirst: number == 0) {
        offset = cursor.offset
        number += 1
        guard report.format == .singleDraft else {
          try takeProject(key, &cursor, "drafts[\(number - 1)]", at: offset)
          continue
        }
        switch key {
        case "draftInput": single.text = try text(&cursor)
        case "draftInputSessionId": single.conversation = try text(&cursor)
        default: try cursor.skip()
        }
      }
    } catch let damage as JSONDamage {
      report.note(.init(damage), "file", at: cursor.offset)
    }
    if report.format == .singleDraft { try takeSingle(single.text, single.conversation) }
    return report
  }

  private func text(_ cursor: inout JSONCursor) throws -> String? {
    do {
      let data = try cursor.cut(atMost: Self.largestDraft)
      return try? JSONDecoder().decode(String.self, from: data)
    } catch JSONDamage.tooLarge {
      return nil
    }
  }

  private func takeSingle(_ text: String?, _ conversation: String?) throws {
    guard let text else { return report.note(.wrongFields, "draftInput", at: 0) }
    guard let conversation, ConversationID(rawValue: conversation).isWellFormed else {
      return report.note(.conversationUnknown, "draftInput", at: 0)
    }
    try take(text, nil, in: ConversationID(rawValue: conversation), "draftInput", at: 0)
  }

  private func takeProject(_ key: String, _ cursor: inout JSONCursor, _ name: String, at offset: Int64) throws
  {
    let data: Data
    do { data = try cursor.cut(atMost: Self.largestDraft) } catch JSONDamage.tooLarge {
      return report.note(.tooLarge, name, at: offset)
    } catch JSONDamage.tooDeep {
      return report.note(.tooDeep, name, at: offset)
    }
    guard !data.contains(0), let draft = try? JSONDecoder().decode(ProjectDraft.self, from: data) else {
      return report.note(.wrongFields, name, at: offset)
    }
    guard ConversationID(rawValue: key).isWellFormed else {
      return report.note(.conversationUnknown, name, at: offset)
    }
    if draft.hasAttachments { report.note(.attachmentsLeftOut, name, at: offset) }
    // A draft with nothing but attachments has just been reported.
    if !draft.text.isEmpty || !draft.hasAttachments {
      try take(draft.text, draft.savedAt, in: ConversationID(rawValue: key), name, at: offset)
    }
  }

  private func take(
    _ text: String, _ savedAt: Int64?, in conversation: ConversationID, _ name: String, at offset: Int64
  ) throws {
    let content = DraftContent(text.storable)
    guard !content.isEmpty else { return report.note(.empty, name, at: offset) }
    guard content.text.utf8.count <= Drafts.maximumBytes else {
      return report.note(.tooLong, name, at: offset)
    }
    let item = "draft:" + ImportedID.make([conversation.rawValue, content.text])
    let outcome = try client.drafts.importDraft(
      content, DraftKey(conversation: conversation), as: item, savedAt: savedAt.map(Date.init(microseconds:)),
      by: client.user)
    switch outcome {
    case .draft: report.drafts += 1
    case .version: report.draftVersions += 1
    case .alreadyHere: report.alreadyHere += 1
    }
  }
}

/// The outcome of the import of one draft.
enum DraftImportOutcome { case draft, version, alreadyHere }

extension Drafts {
  /// Puts an imported text into an empty composer. A draft that is already there stays, and the text becomes a
  /// version of it. The text and the note of its import are one transaction.
  fileprivate func importDraft(
    _ imported: DraftContent, _ name: DraftKey, as item: String, savedAt: Date?, by owner: UserID
  ) throws(ChatError) -> DraftImportOutcome {
    store.lookForRenames()
    guard try !store.read({ try $0.wasImported(item) }) else { return .alreadyHere }
    let result = table.withLock { table -> Result<DraftImportOutcome, ChatError> in
      let key = table.current(name)
      table.load(key)
      guard let entry = table.entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Import the file again."))
      }
      var (outcome, count) = (DraftImportOutcome.alreadyHere, entry.versionCount)
      let replaced = table.replace(key, entry) { present, transaction in
        let isNew = try transaction.noteImported(item)
        try transaction.makeConversation(forDraftOf: key.conversation, by: owner, now: environment.now())
        guard isNew, !present.text.hasSameBytes(as: imported.text) else { return present }
        outcome = present.isEmpty ? .draft : .version
        guard outcome == .version else { return imported }
        count = try transaction.keepVersions(
          [imported], of: key, besides: count, now: savedAt ?? environment.now())
        return present
      }
      if case .failure(let error) = replaced { return .failure(error) }
      let present = table.entries[key]?.versionCount ?? 0
      table.entries[key]?.versionCount = max(count, present)
      if outcome == .draft { table.entries[key]?.isRecovered = true }
      do throws(ChatError) {
        // The draft is shown with its original age. A crash before this write makes it look younger, which does no
        // harm.
        if outcome == .draft, let savedAt {
          try store.writeUnsynced { try $0.setDraftDate(key, savedAt) }
          table.entries[key]?.writtenAt = savedAt
        }
        return .success(outcome)
      } catch {
        return .failure(error)
      }
    }
    announce(name)
    return try result.get()
  }
}

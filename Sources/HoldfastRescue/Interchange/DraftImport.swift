import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// Puts drafts of another app into their composers: a single draft, one for each project, or those of an export.
/// Their files are imported too (rule H10).
final class DraftImport {
  private let client: ChatClient
  private let dates: ImportDates
  private let source: String?
  /// The folder beside the file, with the bytes of attachments under their checksums.
  private let folder: AttachmentFolder?
  private let bringsBackDeleted: Bool
  private let reached: (_ offset: Int64) throws -> Void
  private var report: ImportReport

  init(
    _ client: ChatClient, _ format: ImportFormat, _ dates: ImportDates, source: String? = nil,
    folder: AttachmentFolder? = nil, bringingBackDeleted: Bool = true,
    reached: @escaping (_ offset: Int64) throws -> Void
  ) {
    (self.client, self.dates, self.source, self.folder, self.reached) = (
      client, dates, source, folder, reached
    )
    (bringsBackDeleted, report) = (bringingBackDeleted, ImportReport(format))
  }

  /// Imports a single draft, or drafts by project. The cursor is at the beginning of the file.
  func run(_ start: JSONCursor) throws -> ImportReport {
    var cursor = start
    var single = DraftFields.Single()
    do {
      try cursor.skipMark()
      try cursor.expect(.openObject)
      var number = 0
      // A project may be a long path.
      while let key = try cursor.nextKey(isFirst: number == 0, atMost: 64 << 10) {
        if report.format == .singleDraft {
          try single.read(key, &cursor, dates)
        } else {
          try addProject(key, &cursor, "drafts[\(number)]")
        }
        number += 1
      }
      if try cursor.peekValue() != nil { throw JSONDamage.malformed }
    } catch let damage as JSONDamage {
      report.note(.init(damage), "file", at: cursor.offset)
    }
    if report.format == .singleDraft { try add(single) }
    return report
  }

  /// Imports the drafts of an export. The cursor is at the bracket of their array.
  func run(list start: JSONCursor) throws -> ImportReport {
    var cursor = start
    var (number, offset) = (0, cursor.offset)
    do {
      try cursor.expect(.openArray)
      while try cursor.nextElement(isFirst: number == 0) {
        offset = cursor.offset
        let (name, from) = ("drafts[\(number)]", cursor)
        number += 1
        let draft = try DraftFields(&cursor, dates)
        try add(draft, in: draft.conversation ?? "", from, name, at: offset)
      }
    } catch let damage as JSONDamage {
      report.note(.init(damage), "drafts[\(max(0, number - 1))]", at: offset)
    }
    return report
  }

  private func addProject(_ key: String, _ cursor: inout JSONCursor, _ name: String) throws {
    _ = try cursor.peekValue()
    let (offset, from) = (cursor.offset, cursor)
    let draft = try DraftFields(&cursor, dates)
    try add(draft, in: key, from, name, at: offset)
  }

  private func add(_ single: DraftFields.Single) throws {
    guard let text = single.text else { return report.note(.wrongFields, "draftInput", at: 0) }
    guard let conversation = (single.session ?? single.project).flatMap(name) else {
      return report.note(.conversationUnknown, "draftInput", at: 0)
    }
    note(single.date, "draftInput", at: 0)
    try add(
      DraftContent(text.storable), [], single.date?.microseconds, in: conversation, "draftInput", at: 0)
  }

  /// - Parameter cursor: a cursor on the file, for the bytes of the draft's files.
  private func add(
    _ draft: DraftFields, in name: String, _ cursor: JSONCursor, _ entry: String, at offset: Int64
  ) throws {
    if let problem = draft.problem { return report.note(problem, entry, at: offset) }
    guard let conversation = self.name(name) else {
      return report.note(.conversationUnknown, entry, at: offset)
    }
    guard bringsBackDeleted || !isDeleted(conversation) else { return report.deletedHere += 1 }
    if let edited = draft.editing, try beginEdit(draft, of: edited, in: conversation) { return }
    note(draft.date, entry, at: offset)
    let content = draft.content
    guard !draft.files.isEmpty else {
      return try add(content, [], draft.savedAt, in: conversation, entry, at: offset)
    }
    try reached(offset)
    // A suspension waits until the copies are moved into place, or removed.
    try client.store.copying { () throws(ChatError) in
      try Store.typed {
        let files = try copies(of: draft.files, in: conversation, cursor, entry)
        defer { for file in files { client.store.attachments.abandon(file.copy) } }
        // A draft with only files that could not be copied has just been reported.
        guard !content.hasBlankText || !files.isEmpty else { return }
        try add(content, files, draft.savedAt, in: conversation, entry, at: offset)
      }
    }
  }

  /// The ID of the conversation in this store. Nil when there is no such ID.
  private func name(_ original: String) -> ConversationID? {
    guard let id = ImportedID.fitting(original) else { return nil }
    return ConversationID(imported: source.map { "\($0):\(id)" } ?? id)
  }

  private func note(_ date: ImportedDate?, _ entry: String, at offset: Int64) {
    switch date {
    case .withoutZone: report.count(.withoutZone, entry, at: offset)
    case .unlikely: report.count(.unlikelyDate, entry, at: offset)
    case .unreadable: report.note(.dateUnreadable, entry, at: offset)
    case .at, nil: break
    }
  }

  /// The key under which the import of a text is recorded.
  private static func item(_ content: DraftContent, in conversation: ConversationID) -> String {
    "draft:" + ImportedID.make([conversation.rawValue, content.text])
  }

  private func isDeleted(_ name: ConversationID) -> Bool {
    let deletions = client.store.deletions.value
    let id = client.store.key(of: name)
    guard !deletions.isHidden(id) else { return true }
    // A conversation that was emptied, or that has new messages since its deletion, accepts drafts.
    return deletions.horizons[id]?.isEvicted == false
      && (try? client.store.read { try $0.conversations.isHere(id) }) != true
  }

  private func add(
    _ content: DraftContent, _ files: [ImportedDraft.File], _ savedAt: Int64?,
    in conversation: ConversationID,
    _ entry: String, at offset: Int64
  ) throws {
    guard !content.isEmpty || !files.isEmpty else { return report.note(.empty, entry, at: offset) }
    guard content.text.utf8.count <= Drafts.maximumBytes else {
      return report.note(.tooLong, entry, at: offset)
    }
    let draft = ImportedDraft(
      content: content, files: files, item: Self.item(content, in: conversation),
      savedAt: savedAt.map(Date.init(microseconds:)))
    let outcome = try client.drafts.bring(
      draft, into: DraftKey(conversation: client.store.key(of: conversation)), by: client.user,
      atMost: client.configuration.attachments.perDraft)
    for place in outcome.leftOut { report.note(.attachmentsLeftOut, entry, at: place) }
    report.attachments += outcome.files
    switch outcome.text {
    case .draft: report.drafts += 1
    case .version: report.draftVersions += 1
    case .alreadyHere: report.alreadyHere += outcome.files == 0 ? 1 : 0
    }
  }

  /// Begins the imported edit in its composer. Returns false when its message cannot be edited here, or another edit
  /// is in progress: the text then becomes a new message's draft, so that it is not lost.
  private func beginEdit(
    _ draft: DraftFields, of message: MessageID, in conversation: ConversationID
  ) throws -> Bool {
    let content = draft.content
    guard !content.hasBlankText, content.text.utf8.count <= Drafts.maximumBytes else { return false }
    // It became a draft of its own when its message was absent.
    guard try !client.store.read({ try $0.imports.contains(Self.item(content, in: conversation)) }) else {
      return false
    }
    let item = "edit:" + ImportedID.make([conversation.rawValue, message.rawValue, content.text])
    guard try !client.store.read({ try $0.imports.contains(item) }) else {
      report.alreadyHere += 1
      return true
    }
    guard
      try client.drafts.bringEdit(
        content, of: message, in: client.store.key(of: conversation),
        savedAt: draft.savedAt.map(Date.init(microseconds:)),
        as: item,
        by: client.user)
    else { return false }
    report.drafts += 1
    return true
  }
}

// MARK: - The files of a draft

extension DraftImport {
  /// Copies the files of a draft into the store's folder. Files that cannot be copied are reported.
  private func copies(
    of files: [DraftFields.File], in conversation: ConversationID, _ cursor: JSONCursor, _ entry: String
  ) throws -> [ImportedDraft.File] {
    let limit = try client.sender.largestAttachment(in: conversation)
    var copies: [ImportedDraft.File] = []
    do {
      for (number, file) in files.enumerated() {
        let name = "\(entry).attachments[\(number)]"
        guard let limit, copies.count < client.configuration.attachments.perDraft else {
          report.note(.attachmentsLeftOut, name, at: file.offset)
          continue
        }
        do {
          guard let copy = try copy(of: file, atMost: limit, cursor) else {
            report.note(.attachmentsLeftOut, name, at: file.offset)
            continue
          }
          if let expected = file.checksum, copy.file.checksum != expected {
            client.store.attachments.abandon(copy.file)
            report.note(.attachmentDamaged, name, at: file.offset)
          } else {
            copies.append(attached(copy.file, file, copy.beginning, in: conversation))
          }
        } catch let damage as JSONDamage {
          report.note(.init(damage), name, at: file.offset)
        } catch let error as ChatError where error.code == .attachmentTooLarge {
          report.note(.attachmentsLeftOut, name, at: file.offset)
        }
      }
      return copies
    } catch {
      for copy in copies { client.store.attachments.abandon(copy.copy) }
      throw error
    }
  }

  /// Copies one file. Nil when its bytes are absent.
  private func copy(
    of file: DraftFields.File, atMost limit: Int64, _ cursor: JSONCursor
  ) throws -> (file: AttachmentFolder.Import, beginning: Data)? {
    var beginning = Data()
    var text: Base64Text?
    var source: OpenFile?
    if let place = file.bytesAt {
      var at = cursor
      at.move(to: place)
      text = Base64Text(at)
    } else if let checksum = file.checksum {
      source = (folder?.file(of: checksum)).flatMap { try? OpenFile(reading: $0) }
    }
    guard text != nil || source != nil else { return nil }
    var damage: JSONDamage?
    let copied: AttachmentFolder.Import
    do {
      copied = try client.store.copyAttachment(named: client.environment.makeID(), atMost: limit) { offset in
        let piece: Data
        do {
          piece =
            try text?.next(about: OpenFile.pieceBytes) ?? source?.read(OpenFile.pieceBytes, at: offset)
            ?? Data()
        } catch let error as JSONDamage {
          damage = error
          throw error
        }
        if offset == 0 { beginning = piece.prefix(16) }
        return piece
      }
    } catch {
      throw damage ?? error
    }
    return (copied, beginning)
  }

  private func attached(
    _ copy: AttachmentFolder.Import, _ file: DraftFields.File, _ beginning: Data,
    in conversation: ConversationID
  ) -> ImportedDraft.File {
    let attachment = ChatAttachment(
      imported: copy.checksum, name: file.name, mediaType: file.mediaType, isImage: file.isImage,
      beginning: beginning, byteCount: copy.byteCount)
    return ImportedDraft.File(
      copy: copy, attachment: attachment,
      item: "draftFile:" + ImportedID.make([conversation.rawValue, copy.checksum.rawValue, attachment.name]),
      offset: file.offset)
  }
}

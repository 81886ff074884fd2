import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Writes a history, piece by piece, into a file that gets its name once it is complete.
struct HistoryWriter {
  private static let pieceBytes = 256 << 10

  private let file: OpenFile
  private let format: ExportFormat
  private(set) var report: ExportReport
  private var json = JSONText()
  private var text: [UInt8] = []
  private var isFirst = true

  /// - Parameter partial: the temporary location of the file.
  init(_ partial: URL, for location: URL, _ format: ExportFormat) throws {
    file = try OpenFile.new(partial)
    self.format = format
    report = ExportReport(location: location)
  }

  mutating func begin(active: ConversationID?) throws {
    guard format == .json else { return }
    json.open("{")
    if let active {
      json.key("activeConversationID")
      json.value(active.rawValue)
    }
  }

  mutating func beginDrafts() {
    guard format == .json else { return }
    json.key("drafts")
    json.open("[")
    json.newLine()
  }

  /// Writes a draft. None of its keys is a key of a message or a conversation, so that a reader does not mistake it
  /// for one after damage.
  mutating func write(_ exported: ExportedDraft) throws {
    report.drafts += 1
    let (id, content) = (exported.conversation, exported.draft.content)
    switch format {
    case .json:
      json.open("{")
      json.key("conversation")
      json.value(id.rawValue)
      if let editing = exported.draft.editing {
        json.key("editing")
        json.value(editing.rawValue)
      }
      json.key("text")
      json.value(content.text)
      json.date("savedAt", "savedAtMicroseconds", exported.draft.updatedAt.microseconds)
      writeAdditions(of: content)
      json.close("}")
      json.newLine()
    case .text:
      let place = id.rawValue.plainLine
      text += "Draft in \(place): \(content.text.plainLines)\n\(Self.lines(of: content.attachments))\n".utf8
    }
    try flush(atLeast: Self.pieceBytes)
  }

  private mutating func writeAdditions(of content: DraftContent) {
    if let selection = content.selection {
      json.key("cursorStart")
      json.value(Int64(selection.start))
      json.key("cursorEnd")
      json.value(Int64(selection.end))
    }
    content.message.writeAdditions(&json)
    if !content.attachments.isEmpty { write(content.attachments) }
  }

  mutating func endDrafts() {
    guard format == .json else { return }
    json.close("]")
  }

  mutating func beginConversations() {
    guard format == .json else { return }
    json.key("conversations")
    json.open("[")
    json.newLine()
  }

  mutating func begin(_ conversation: ExportedConversation) throws {
    report.conversations += 1
    switch format {
    case .json:
      json.open("{")
      json.key("id")
      json.value(conversation.id.rawValue)
      json.key("title")
      json.value(conversation.title ?? "")
      if conversation.titleIsCustom { json.flag("titleIsCustom") }
      json.date("createdAt", "createdAtMicroseconds", conversation.createdAt)
      json.date("updatedAt", "updatedAtMicroseconds", conversation.updatedAt)
      json.key("members")
      json.value(conversation.members)
      if let metadata = conversation.metadata {
        json.key("metadata")
        json.value(metadata.base64EncodedString())
      }
      json.key("messages")
      json.open("[")
      json.newLine()
    case .text:
      let id = conversation.id.rawValue.plainLine
      let title = conversation.title.map { "\($0.plainLine) (\(id))" } ?? id
      text += "\(isFirst ? "" : "\n")\(title)\n\n".utf8
      isFirst = false
    }
    try flush(atLeast: Self.pieceBytes)
  }

  mutating func end() throws {
    guard format == .json else { return }
    json.close("]")
    json.close("}")
    json.newLine()
  }

  mutating func write(_ message: ExportedMessage) throws {
    report.messages += 1
    switch format {
    case .json: write(inJSON: message)
    case .text:
      let body = message.deletedAt == nil ? message.content.text.plainLines : "(deleted)"
      let heading = "\(InterchangeDate.text(message.createdAt)) \(message.sender.plainLine)"
      text += "\(heading): \(body)\n\(Self.lines(of: message.attachments))".utf8
    }
    try flush(atLeast: Self.pieceBytes)
  }

  /// The names of files as shown under a text, one on each line.
  private static func lines(of files: [ChatAttachment]) -> String {
    files.map { "[\($0.name.plainLine)]\n" }.joined()
  }

  private mutating func write(inJSON message: ExportedMessage) {
    json.open("{")
    json.key("id")
    json.value(message.id)
    json.key("role")
    json.value(message.role)
    json.key("content")
    json.value(message.content.text)
    json.key("status")
    json.value(message.status)
    if let reasoning = message.content.reasoning {
      json.key("reasoning")
      json.value(reasoning)
    }
    json.key("images")
    json.value(message.content.images)
    json.key("videos")
    json.value(message.content.videos)
    json.date("timestamp", "microseconds", message.createdAt)
    json.key("sender")
    json.value(message.sender)
    writeAdditions(of: message)
    json.close("}")
    json.newLine()
  }

  /// Writes the fields that few messages have.
  private mutating func writeAdditions(of message: ExportedMessage) {
    if let order = message.order {
      json.key("order")
      json.value(order)
    }
    if let name = message.serverID {
      json.key("serverMessageName")
      json.value(name)
    }
    if !message.readBy.isEmpty {
      json.key("readBy")
      json.value(message.readBy)
    }
    message.content.writeAdditions(&json)
    if let editedAt = message.editedAt {
      json.key("editedAt")
      json.value(InterchangeDate.text(editedAt, withFraction: true))
    }
    if let deletedAt = message.deletedAt {
      json.key("deletedAt")
      json.value(InterchangeDate.text(deletedAt, withFraction: true))
    }
    if message.revision > 0 {
      json.key("revision")
      json.value(message.revision)
    }
    if !message.reactions.isEmpty { write(message.reactions) }
    if !message.attachments.isEmpty { write(message.attachments) }
  }

  private mutating func write(_ reactions: [IncomingMessage.Reaction]) {
    json.key("reactions")
    json.open("[")
    for reaction in reactions {
      json.open("{")
      json.key("by")
      json.value(reaction.sender.rawValue)
      json.key("value")
      json.value(reaction.value)
      if let name = reaction.serverID {
        json.key("serverName")
        json.value(name)
      }
      json.close("}")
    }
    json.close("]")
  }

  private mutating func write(_ attachments: [ChatAttachment]) {
    json.key("attachments")
    json.open("[")
    for attachment in attachments {
      json.open("{")
      json.key("checksum")
      json.value(attachment.checksum.rawValue)
      json.key("name")
      json.value(attachment.name)
      json.key("mediaType")
      json.value(attachment.mediaType)
      json.key("byteCount")
      json.value(attachment.byteCount)
      json.close("}")
    }
    json.close("]")
  }

  /// Writes the end of the file. The file is on disk when this returns.
  mutating func finish() throws {
    if format == .json {
      json.close("]")
      json.close("}")
      json.newLine()
    }
    try flush(atLeast: 1)
    try file.sync()
  }

  private mutating func flush(atLeast count: Int) throws {
    let bytes = format == .json ? json.bytes : text
    guard bytes.count >= count else { return }
    try file.write(Data(bytes), at: report.bytes)
    report.bytes += Int64(bytes.count)
    json.removeAll()
    text.removeAll(keepingCapacity: true)
  }
}

extension JSONText {
  /// Writes a date to the second, which other programs read, and the fraction of the second in another field.
  fileprivate mutating func date(_ name: StaticString, _ fractionName: StaticString, _ microseconds: Int64) {
    key(name)
    value(InterchangeDate.text(microseconds))
    let fraction = InterchangeDate.fraction(of: microseconds)
    guard fraction > 0 else { return }
    key(fractionName)
    value(fraction)
  }
}

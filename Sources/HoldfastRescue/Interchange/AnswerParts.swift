import HoldfastCore
import HoldfastStore

/// Parts of the next answer: thoughts, tool calls and their results, which exports have in messages of their own.
struct AnswerParts {
  private var entry: HistoryEntry
  private var metadata: EntryMetadata
  private var isWhole = true
  /// The place of the first part.
  let place: ImportPlace
  private(set) var count = 1

  init(_ entry: HistoryEntry, _ place: ImportPlace) {
    (self.entry, self.place) = (entry, place)
    metadata = EntryMetadata(entry.message.content.metadata) ?? EntryMetadata(object: [:])
    isWhole = !entry.notes.contains(.partsLeftOut)
  }

  mutating func add(_ other: HistoryEntry) {
    count += 1
    let content = other.message.content
    entry.message.content.reasoning = Self.joined(entry.message.content.reasoning, content.reasoning)
    entry.message.content.text = Self.joined(entry.message.content.text, content.text) ?? ""
    var both = EntryMetadata(content.metadata) ?? EntryMetadata(object: [:])
    isWhole = both.bring(metadata) && isWhole && !other.notes.contains(.partsLeftOut)
    metadata = both
  }

  /// Adds everything to the answer, as far as it fits.
  func join(_ answer: inout HistoryEntry) {
    var content = answer.message.content
    content.reasoning = Self.joined(entry.message.content.reasoning, content.reasoning)
    var isWhole = isWhole
    if var metadata = EntryMetadata(content.metadata) {
      isWhole = metadata.bring(self.metadata) && isWhole
      content.metadata = metadata.data
    } else {
      isWhole = isWhole && !hasMetadata
    }
    answer.message.content = content
    if !isWhole, !answer.notes.contains(.partsLeftOut) { answer.notes.append(.partsLeftOut) }
  }

  var hasMetadata: Bool { metadata.data != nil }

  /// The parts as a message of their own, when no answer follows. Nil when they have no text.
  var alone: HistoryEntry? {
    let content = entry.message.content
    guard content.reasoning?.isBlank == false || !content.text.isBlank else { return nil }
    var entry = entry
    (entry.message.role, entry.isOfAnswer, entry.author) = (.assistant, false, nil)
    (entry.status, entry.message.status) = (nil, nil)
    if entry.message.sender.map({ $0.rawValue == MessageRole.tool.rawValue }) == true {
      entry.message.sender = nil
    }
    entry.message.content.metadata = metadata.data
    return entry
  }

  private static func joined(_ one: String?, _ other: String?) -> String? {
    let texts = [one, other].compactMap(\.self).filter { !$0.isBlank }
    return texts.isEmpty ? nil : texts.joined(separator: "\n")
  }
}

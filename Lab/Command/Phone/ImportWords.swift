import HoldfastRescue

/// The outcome of an entry, in words for the person who chose the file. The names of fields and the words of the
/// engine are for `holdfast import`.
extension ImportProblem {
  /// The reason why one entry was not imported, or not in full. For an unknown reason, the engine's explanation.
  var reason: String { Self.reasons[code] ?? explanation }

  private static let reasons: [Code: String] = [
    .malformed: "It is damaged.",
    .ended: "The file ends in the middle of it.",
    .tooLarge: "It is too large.",
    .tooDeep: "It cannot be read.",
    .wrongFields: "It is not in a form that is known here.",
    .conversationUnknown: "It does not say which conversation it belongs to.",
    .empty: "It has no text.",
    .tooLong: "Its text is too long.",
    .attachmentsLeftOut: "It came without its file, of which only the name is here, or which cannot be sent.",
    .attachmentDamaged: "Its file is damaged, and was left out.",
    .dateUnreadable: "Its date cannot be read. It shows that of the one before it.",
    .fieldLeftOut: "A part of it cannot be read, and was left out.",
    .messagesMissing: "It has no messages in a form that is known here.",
    .branchLeftOut: "It was not shown before, and is too long to be kept beside what was.",
    .withdrawn: "It was cancelled, so it is not sent.",
  ]

  /// The assumption about `count` entries that were imported in full.
  var remark: String {
    let words = Self.remarks[code].map { count == 1 ? $0.one : $0.many }
    return words.map { "\(count) \($0)" } ?? (count == 1 ? explanation : "\(explanation) (\(count) times)")
  }

  private static let remarks: [Code: (one: String, many: String)] = [
    .withoutZone: (
      "date has no time zone, and was read as UTC.", "dates have no time zone, and were read as UTC."
    ),
    .unlikelyDate: (
      "date lies before 1990 or in the future, and stays as it is.",
      "dates lie before 1990 or in the future, and stay as they are."
    ),
    .undated: (
      "message has no date, and shows that of the one before it or that of the import.",
      "messages have no date, and show that of the one before them or that of the import."
    ),
    .filesElsewhere: (
      "message came with the name of its file, and without the file.",
      "messages came with the names of their files, and without the files."
    ),
    .keptApart: (
      "conversation looked like one that is here, and was kept apart from it.",
      "conversations looked like some that are here, and were kept apart from them."
    ),
    .sameID: (
      "message looked like another one, and was kept beside it.",
      "messages looked like others, and were kept beside them."
    ),
    .partsLeftOut: (
      "answer came without what tools were asked and said.",
      "answers came without what tools were asked and said."
    ),
    .unknownStatus: (
      "message does not clearly say whether it was sent. It counts as sent.",
      "messages do not clearly say whether they were sent. They count as sent."
    ),
    .membersUnknown: (
      "message waits until it is known who takes part in its conversation.",
      "messages wait until it is known who takes part in their conversation."
    ),
  ]
}

/// The names of a file's entries in words. A report counts from zero, and people count from one.
enum ImportEntryName {
  private static let names = [
    "conversations": "conversation", "messages": "message", "drafts": "draft", "attachments": "file",
    "draftInput": "the draft", "file": "the file",
  ]

  /// - Parameter entry: the path of the entry, such as `conversations[3].messages[17]`.
  static func words(_ entry: String, in format: ImportFormat) -> String {
    let steps = entry.split(separator: ".")
    let element = steps.count > 1 ? "conversation" : Self.element(of: format)
    let place = steps.compactMap { words(of: $0, element: element) }.joined(separator: ", ")
    return place.isEmpty ? "An entry" : place.prefix(1).uppercased() + place.dropFirst()
  }

  private static func words(of step: Substring, element: String) -> String? {
    let name = step.prefix { $0 != "[" }
    guard let word = name.isEmpty ? element : names[String(name)] else { return nil }
    guard let number = Int(step.dropFirst(name.count + 1).dropLast()) else { return word }
    return "\(word) \(number &+ 1)"
  }

  /// The name of an element in a file that is one list.
  private static func element(of format: ImportFormat) -> String {
    switch format {
    case .queue: "message"
    case .messages: "entry"
    default: "conversation"
    }
  }
}

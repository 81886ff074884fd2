extension ChatConfiguration.ShownText {
  /// The outcome of an imported entry, in English, by the code of the problem or note.
  static func importProblem(_ code: String) -> String {
    importProblems[code] ?? "The entry could not be imported."
  }

  private static let importProblems: [String: String] = [
    "malformed": "The entry is damaged: it is not JSON.",
    "ended": "The file ends in the middle of the entry.",
    "tooLarge":
      "The entry is too large. A message may have 64 MB; a queued message or a draft's text, 16 MB.",
    "tooDeep": "The entry is nested deeper than 64 levels.",
    "wrongFields": "A required field is missing or has another type.",
    "conversationUnknown": "The conversation of the entry is unknown.",
    "empty": "The entry has no text.",
    "tooLong": "The text is too long to be sent or stored.",
    "outboxFull": "Too many messages wait to be sent. Import the file again when some have been sent.",
    "attachmentsLeftOut":
      "The text was imported without an attachment: only its name is here, or it is one that cannot be sent.",
    "attachmentDamaged": "The attachment's bytes have changed, and were left out.",
    "dateUnreadable": "The date cannot be read. The message shows that of the one before it.",
    "fieldLeftOut": "A part of the entry has a type that cannot be read, and was left out.",
    "messagesMissing": "The conversation has no messages in a form that is known here.",
    "branchLeftOut": "A message that was not shown is too long to be kept beside the one that was.",
    "withdrawn": "The message was cancelled, so it is not sent.",
    "authorUnknown":
      "The message is unsent, and may be another's. Say which field names the author, and who you are in this file.",
    "authorNotNamed": "The message does not say who wrote it. It is shown as yours.",
    "withoutZone": "The date has no time zone, and was read as UTC.",
    "unlikelyDate": "The date lies before 1990 or in the future, and stays as it is.",
    "undated": "The message has no date. It shows that of the message before it, or that of the import.",
    "filesElsewhere": "The file of the message is not here. Its name came along.",
    "keptApart": "Another conversation has this ID. The imported one has an ID of its own.",
    "sameID": "Another message has this ID. The imported one has an ID of its own.",
    "unknownStatus": "The status of the message is not known here. It counts as sent.",
    "partsLeftOut":
      "What tools were asked and said has no place beside an answer, and was left out.",
    "membersUnknown": "The message waits until the app has made its conversation with its members.",
  ]
}

import Foundation
import Holdfast
import HoldfastRescue
import Testing

@testable import holdfast_lab

/// The sentences of a phone about an import.
@Suite struct ImportReadingTests {
  private static func report(
    _ format: ImportFormat, _ counts: [String: Int], _ entries: [String] = [], notes: [(String, Int)] = []
  ) throws -> ImportReport {
    var fields: [String: Any] = [
      "format": format.rawValue, "bytes": 1, "conversations": 0, "messages": 0, "queued": 0, "drafts": 0,
      "draftVersions": 0, "attachments": 0, "places": 0, "alreadyHere": 0, "deletedHere": 0, "failed": 0,
      "interrupted": 0, "replaced": 0, "unshown": 0, "leftOut": 0,
      "notes": notes.map { problem("messages[0]", $0.0, $0.1) },
      "problemCount": entries.count,
      "problems": entries.map { problem($0, "malformed", 1) },
    ]
    fields.merge(counts) { $1 }
    return try JSONDecoder().decode(
      ImportReport.self, from: JSONSerialization.data(withJSONObject: fields))
  }

  private static func problem(_ entry: String, _ code: String, _ count: Int) -> [String: Any] {
    ["entry": entry, "offset": 0, "code": code, "count": count, "explanation": "The engine's words."]
  }

  private static func words(_ format: ImportFormat, _ counts: [String: Int]) throws -> String {
    let reading = ImportReading("f.json", try report(format, counts))
    return ([reading.title] + reading.sentences).joined(separator: " ")
  }

  @Test func `new, existing and deleted entries are reported with their numbers`() throws {
    #expect(
      try Self.words(.history, ["messages": 30, "conversations": 1])
        == "Imported 30 messages and 1 new conversation came in.")
    #expect(
      try Self.words(.history, ["messages": 1, "alreadyHere": 1, "deletedHere": 2])
        == "Imported 1 message came in. 1 message was here already. "
        + "2 messages were deleted on this phone, and left out.")
    #expect(
      try Self.words(.queue, ["queued": 1, "alreadyHere": 2])
        == "Imported 1 message waits to be sent. 2 messages were here already.")
    #expect(
      try Self.words(.draftsByProject, ["drafts": 2, "draftVersions": 1])
        == "Imported 2 drafts are in their text fields. "
        + "1 draft is among the earlier texts of what is written here.")
    #expect(
      try Self.words(.history, ["messages": 2, "failed": 1, "interrupted": 2, "replaced": 1])
        == "Imported 2 messages came in. 1 message had failed, and can be sent again. "
        + "2 replies were cut off, and can be continued or retried. 1 message is whole now.")
    #expect(
      try Self.words(.queue, ["conversations": 1, "queued": 2])
        == "Imported 1 new conversation came in. 2 messages wait to be sent.")
    #expect(try Self.words(.singleDraft, ["alreadyHere": 1]) == "Nothing new 1 draft was here already.")
    #expect(try Self.words(.queue, [:]) == "Nothing new There is nothing in the file.")
  }

  @Test func `an entry that could not be read is named as people count, and of many the first are listed`()
    throws
  {
    let entries = [
      "conversations[3].messages[17]", "[0].messages[1]", "[0]", "conversations[1]", "file", "draftInput",
      "drafts[0].attachments[2]", "something.new",
    ]
    let few = ImportReading("f.json", try Self.report(.history, ["messages": 1], entries))
    #expect(
      few.problems.map(\.place) == [
        "Conversation 4, message 18", "Conversation 1, message 2", "Conversation 1", "Conversation 2",
        "The file", "The draft", "Draft 1, file 3", "An entry",
      ])
    #expect(few.sentences.last == "8 entries could not be imported in full:")
    #expect(few.moreProblems == 0)
    let many = ImportReading("f.json", try Self.report(.queue, [:], (0..<50).map { "[\($0)]" }))
    #expect(many.problems.count == 20)
    #expect(many.moreProblems == 30)
  }
  @Test func `a file that is something else is distinguished from one that cannot be read`() {
    let other = ImportReading("f.json", error: ChatError(.fileUnrecognized, "The engine's words."))
    #expect(other.sentences.joined().hasSuffix("in a form that is known here. Choose another file."))
    let full = ImportReading("f.json", error: ChatError(.storageFull, "The disk is full."))
    #expect(full.sentences == ["The disk is full."])
    #expect(full.title == "Not imported")
  }

  @Test(arguments: [
    (ImportFormat.queue, "Message 3"), (.messages, "Entry 3"), (.chatGPT, "Conversation 3"),
    (.claude, "Conversation 3"),
  ])
  func `an element of a list is named by what the list has`(format: ImportFormat, name: String) {
    #expect(ImportEntryName.words("[2]", in: format) == name)
  }

  @Test func `what is true of imported entries agrees with their number`() throws {
    let notes = [("undated", 1), ("withoutZone", 3), ("membersUnknown", 2), ("new", 1), ("newer", 2)]
    let reading = ImportReading("f.json", try Self.report(.messages, ["messages": 3], notes: notes))
    #expect(
      reading.notes == [
        "1 message has no date, and shows that of the one before it or that of the import.",
        "3 dates have no time zone, and were read as UTC.",
        "2 messages wait until it is known who takes part in their conversation.", "The engine's words.",
        "The engine's words. (2 times)",
      ])
    #expect(reading.sentences == ["3 messages came in."])
  }
}

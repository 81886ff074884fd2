import Foundation
import Holdfast
import HoldfastRescue
import Testing

@testable import HoldfastCommand

/// The sentences of a phone about an import.
@Suite struct ImportReadingTests {
  private static func report(_ format: ImportFormat, _ counts: [String: Int], _ entries: [String] = []) throws
    -> ImportReport
  {
    var fields: [String: Any] = [
      "format": format.rawValue, "bytes": 1, "conversations": 0, "messages": 0, "queued": 0, "drafts": 0,
      "draftVersions": 0, "attachments": 0, "places": 0, "alreadyHere": 0, "deletedHere": 0, "failed": 0,
      "interrupted": 0, "replaced": 0, "unshown": 0, "leftOut": 0, "notes": [],
      "problemCount": entries.count,
      "problems": entries.map {
        ["entry": $0, "offset": 0, "code": "malformed", "count": 1, "explanation": "It is damaged."]
      },
    ]
    fields.merge(counts) { $1 }
    return try JSONDecoder().decode(
      ImportReport.self, from: JSONSerialization.data(withJSONObject: fields))
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
    #expect(try Self.words(.singleDraft, ["alreadyHere": 1]) == "Nothing new 1 draft was here already.")
    #expect(try Self.words(.queue, [:]) == "Nothing new There is nothing in the file.")
  }

  @Test func `an entry that could not be read is named as people count, and of many the first are listed`()
    throws
  {
    let entries = [
      "conversations[3].messages[17]", "[0].messages[1]", "[0]", "conversations[1]", "file", "draftInput",
    ]
    let few = ImportReading("f.json", try Self.report(.history, ["messages": 1], entries))
    #expect(
      few.problems.map(\.place) == [
        "Conversation 4, message 18", "Conversation 1, message 2", "Message 1", "Conversation 2", "The file",
        "draftInput",
      ])
    #expect(few.sentences.last == "6 entries could not be read in full:")
    #expect(few.moreProblems == 0)
    let many = ImportReading("f.json", try Self.report(.queue, [:], (0..<50).map { "[\($0)]" }))
    #expect(many.problems.count == 20)
    #expect(many.moreProblems == 30)
  }
}

import Foundation
import Holdfast
import Testing

@testable import holdfast_lab

/// The files that the demo gives to a browser.
@Suite struct ShownFilesTests {
  private static let here = String(repeating: "a", count: 64)
  private static let elsewhere = String(repeating: "b", count: 64)

  private static func attachment(_ checksum: String, _ name: String, isHere: Bool = true) -> String {
    let file = isHere ? #","file":"file:///store/\#(checksum)""# : ""
    return """
      {"attachment":{"checksum":"\(checksum)","name":"\(name)","mediaType":"image/png","byteCount":1},\
      "state":"here"\(file)}
      """
  }

  private static func line(rows: String = "", composer: String = "", second: String? = nil) -> Data {
    let window =
      #""conversation":{"rows":[{"attachments":[\#(rows)]}]},"composer":{"attachments":[\#(composer)]}"#
    return Data("{\(window)\(second.map { #","second":\#($0)"# } ?? "")}".utf8)
  }

  @Test
  func `the files of the timeline, the composer and a second window can be opened`() {
    for line in [
      Self.line(rows: Self.attachment(Self.here, "a.png")),
      Self.line(composer: Self.attachment(Self.here, "a.png")),
      Self.line(second: #"{"composer":{"attachments":[\#(Self.attachment(Self.here, "a.png"))]}}"#),
    ] {
      #expect(ShownFiles(in: line).row(Self.here, name: "a.png")?.file?.path == "/store/\(Self.here)")
      #expect(ShownFiles(in: line).row(Self.elsewhere, name: "a.png") == nil)
    }
  }

  @Test func `a file that is not on the phone is not given`() {
    let line = Self.line(rows: Self.attachment(Self.here, "a.png", isHere: false))
    #expect(ShownFiles(in: line).row(Self.here, name: "a.png") == nil)
  }

  @Test func `the same file has the name that is asked for, if it is there under it`() {
    let line = Self.line(
      rows: Self.attachment(Self.here, "a.png") + "," + Self.attachment(Self.here, "b.png"))
    #expect(ShownFiles(in: line).row(Self.here, name: "b.png")?.attachment.name == "b.png")
    #expect(ShownFiles(in: line).row(Self.here, name: "../../x")?.attachment.name == "a.png")
    #expect(ShownFiles(in: line).row(Self.here, name: nil)?.attachment.name == "a.png")
  }

  @Test(arguments: ["", "{}", "[]", #"{"conversation":null}"#, "nonsense"])
  func `a line that shows nothing gives nothing`(line: String) {
    #expect(ShownFiles(in: Data(line.utf8)).row(Self.here, name: nil) == nil)
    #expect(ShownFiles(in: nil).row(Self.here, name: nil) == nil)
  }
}

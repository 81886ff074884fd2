import Foundation
import Holdfast
import Testing

@testable import holdfast_lab

/// What is drawn of messages beside their plain text.
@Suite struct MessageBodiesTests {
  private func row(
    _ id: MessageID, _ role: MessageRole, _ text: String, images: [String] = [], videos: [String] = [],
    _ state: MessageStatus.Code = .delivered
  ) -> MessageRow {
    MessageRow(
      id: id, sender: "alice", isMine: true, role: role,
      content: MessageContent(text, images: images, videos: videos),
      createdAt: Date(timeIntervalSince1970: 0),
      status: MessageStatus(state))
  }

  private func bodies(of rows: [MessageRow]) -> [String: MessageBody] {
    var all = MessageBodies()
    return all.bodies(of: rows) { $0 == .image ? "Image" : "Video" }
  }

  @Test func `an assistant's answer has blocks, and what a person typed stays as typed`() {
    let bodies = bodies(of: [
      row("1", .user, "**a**"), row("2", .assistant, "**a**"), row("3", .assistant, ""),
    ])
    #expect(bodies.keys.sorted() == ["2"])
    #expect(bodies["2"]?.blocks == [#"["p",null,["strong",null,"a"]]"#])
  }

  // L6.1
  @Test func `images and videos of anybody have tiles`() {
    let bodies = bodies(of: [
      row("1", .user, "", images: ["https://example.org/a.png"], videos: ["b.mp4"]), row("2", .user, "a"),
    ])
    #expect(bodies.keys.sorted() == ["1"])
    #expect(bodies["1"]?.blocks == nil)
    #expect(bodies["1"]?.references.map(\.name) == ["a.png", "b.mp4"])
    #expect(bodies["1"]?.references.map(\.label) == ["Image", "Video"])
  }

  @Test func `an answer is read anew when it changes or ends`() {
    var all = MessageBodies()
    func blocks(_ text: String, _ state: MessageStatus.Code) -> [String]? {
      all.bodies(of: [row("1", .assistant, text, state)]) { _ in "" }["1"]?.blocks
    }
    #expect(blocks("a\n-", .streaming)?.count == 1)
    #expect(blocks("a\n- b", .streaming)?.count == 2)
    #expect(blocks("a\n-", .streaming) == [#"["p",null,"a"]"#])
    #expect(blocks("a\n-", .delivered) == [#"["h2",null,"a"]"#])
  }
}

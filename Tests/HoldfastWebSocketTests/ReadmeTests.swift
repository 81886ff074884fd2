import Foundation
import Holdfast
import HoldfastWebSocket
import Testing

/// The README's code is compiled here, and compared with the README.
@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
  /// Never called. The test is that it compiles.
  private func example(url: URL, token: String) async throws {
    // README
    let session = await ChatSession(
      storage: .applicationSupport("alice"), transport: WebSocketTransport(url: url) { token }, user: "alice")
    try await session.withClient { client in
      try client.createConversation("alice-bob", members: ["alice", "bob"])
      try client.send("Hello", in: "alice-bob")
      for await health in client.outbox.healthChanges() where health.waiting == 0 { break }
    }
    // end
  }

  @Test func `the code of the README is the code that compiles`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let lines = source.split(separator: "\n").drop { !$0.hasSuffix("// README") }.dropFirst()
      .prefix { !$0.hasSuffix("// end") }.map { String($0.dropFirst(4)) }
    #expect(lines.count == 7)
    #expect(readme.contains(lines.joined(separator: "\n")))
  }
}

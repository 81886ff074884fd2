import HoldfastRelay
import Testing

@testable import ChatServer

/// The record of a server, read from its file.
@Suite struct ServerRecordTests {
  // B12.3
  @Test func `the record has what a running server has, and what a stopped one had`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"), eg("m2"))
    await alice.say(.read(.init(conversation: "c", message: "m1")))
    let record = ServerRecord(folder: bench.folder)
    let messages = try record.messages(in: "c")
    #expect(messages.map(\.id) == ["m1", "m2"])
    #expect(try await bench.server.messages(in: "c") == messages)
    #expect(try record.readMarks(in: "c").map(\.message) == ["m1"])
    await bench.server.stop()
    #expect(try record.messages(in: "c") == messages)
    #expect(try record.messages(in: "elsewhere").isEmpty)
  }
}

import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// What a tap on a row offers, for each place where a message may be.
@Suite struct MessageActionTests {
  // O8, O9
  @Test func `a row offers what can be done with its message, and a delivered one nothing`() throws {
    let client = try Bench().client()
    let id = try client.send("hi", in: eg.conversation)
    func offered() throws -> [MessageAction] { try #require(try client.rows().first).actions }
    #expect(try offered() == [.info, .edit, .cancel])
    _ = client.live.set(link: .online)
    #expect(
      try offered() == [.info, .edit, .cancel], "Whether it is too late is known when it is asked for.")
    try client.store.write { try $0.hold(eg.conversation) }
    #expect(try offered() == [.decide])
    try client.store.write { try $0.park(id, in: eg.conversation, reason: eg.rejection) }
    #expect(try offered() == [.retry, .edit, .delete])
    try client.store.write { try $0.confirmMessage(id, in: eg.conversation, order: 1, createdAt: eg.date) }
    #expect(try offered() == [])
  }

  // O9
  @Test func `what others have sent offers nothing`() throws {
    let client = try Bench().client()
    try client.store.write { _ = try $0.take(eg.incoming("m"), now: eg.date) }
    #expect(try client.rows().map(\.actions) == [[]])
  }
}

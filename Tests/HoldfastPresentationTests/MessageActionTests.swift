import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The actions that a tap on a row offers, for each state of a message.
@Suite struct MessageActionTests {
  // O8.2, O9.1
  @Test func `a row offers what can be done with its message, wherever that is`() throws {
    let client = try Bench().client()
    let id = try client.send("hi", in: eg.conversation)
    func offered() throws -> [MessageRow.Action] { try #require(try client.rows().first).actions }
    #expect(try offered() == [.info, .edit, .cancel])
    _ = client.sharedStates.link.set(.online)
    #expect(
      try offered() == [.info, .edit, .cancel], "Whether it is too late is known when it is asked for.")
    try client.hold()
    #expect(try offered() == [.decide])
    try client.fail(id)
    #expect(try offered() == [.retry, .edit, .delete])
    try client.confirm(id)
    #expect(try offered() == [.react, .edit, .delete])
    try client.message(id).delete()
    #expect(try offered() == [], "There is nothing left of it to do something with.")
  }

  // O14
  @Test func `a delivered row offers what the server can do, and a message that is being written nothing`()
    async throws
  {
    for (operations, offered) in [
      ([], []), ([.edit], [.edit]), ([.react], []), ([.react, .unreact, .delete], [.react, .delete]),
    ] as [(Set<MessageOperation.Kind>, [MessageRow.Action])] {
      let client = try Bench(operations: operations).client()
      _ = try client.delivered("hi")
      #expect(try client.rows().map(\.actions) == [offered])
    }
    let row = MessageRow(
      id: "m", sender: eg.user, isMine: true, role: .user, content: MessageContent("ha"), createdAt: eg.date,
      status: MessageStatus(.streaming))
    #expect(
      MessageRow.Action.offered(for: row, operations: Set(MessageOperation.Kind.allCases), isOurs: true)
        == [])
  }

  // O9, O14
  @Test func `messages of others can only be reacted to`() throws {
    let client = try Bench().client()
    try client.takeIn(eg.incoming("m"))
    #expect(try client.rows().map(\.actions) == [[.react]])
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// A timeline in which a reply grows: the store is not read again for each word.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ReplyGrowthTests {
  private typealias Steps = SnapshotSequence<ConversationSnapshot>.Iterator

  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench(inMemory: true)
    client = try bench.client()
    for number in 1...3 { try client.send("message \(number)", in: eg.conversation) }
  }

  private func begin() async throws -> ReplyHandle {
    try await client.conversation(eg.conversation).beginReply(as: .assistant("echo", of: eg.user))
  }

  /// Whether the next step of a timeline is the growth of these replies.
  private func grows(_ ids: MessageID..., in steps: Steps) async -> Bool {
    guard case .grown(let replies) = await steps.nextStep(isolation: MainActor.shared) else { return false }
    return replies == Set(ids)
  }

  // A3.1
  @Test func `a timeline is read for the first word and for the end, and for no word between them`()
    async throws
  {
    let steps = client.reader.timeline(of: eg.conversation, in: TimelineSpan()).makeAsyncIterator()
    #expect(await !grows(in: steps), "The first step is a reading.")
    let reply = try await begin()
    #expect(await !grows(reply.id, in: steps), "The row is new.")
    try await reply.append("one ")
    #expect(await grows(reply.id, in: steps))
    #expect(steps.read() != nil, "The first word changes more of a row than its text.")
    for word in ["two ", "three "] {
      try await reply.append(word)
      #expect(await grows(reply.id, in: steps))
    }
    try await reply.append("four")
    try await reply.finish()
    #expect(await !grows(reply.id, in: steps), "The end comes with the last word.")
    #expect(try client.reader.conversation(eg.conversation, limit: 9).rows.last?.text == "one two three four")
  }

  // A3.1
  @Test func `a reply that grows is shown as it would be read`() async throws {
    let reply = try await begin()
    let steps = client.reader.timeline(of: eg.conversation, in: TimelineSpan()).makeAsyncIterator()
    for word in ["one ", "two ", "three "] {
      try await reply.append(word, reasoning: word == "three " ? "so" : "")
      let shown = try await steps.nextResult(isolation: MainActor.shared)?.get()
      #expect(try shown == client.reader.conversation(eg.conversation, limit: 100))
    }
  }

  // A3.1, D1.8
  @Test func `a message that answers the reply shows its words too`() async throws {
    let reply = try await begin()
    try await reply.append("one ")
    try client.send("what?", in: eg.conversation, replyTo: reply.id)
    let steps = client.reader.timeline(of: eg.conversation, in: TimelineSpan()).makeAsyncIterator()
    _ = await steps.nextResult(isolation: MainActor.shared)
    try await reply.append("two")
    let shown = try await steps.nextResult(isolation: MainActor.shared)?.get()
    #expect(shown?.rows.last?.quote?.excerpt == "one two")
  }

  // A3.1
  @Test func `a model shows the words in its row, in its snapshot and in its parts`() async throws {
    let reply = try await begin()
    try await reply.append("one ")
    let (whole, parts, rows) = (model(), model(), model())
    try await follow(whole, reply) { whole.snapshot.rows.last?.text }
    try await follow(parts, reply) { parts.rows.last?.text }
    try await follow(rows, reply) { rows.row(reply.id)?.text }
  }

  /// Adds words while the model runs, until a view has shown them.
  private func follow(
    _ model: ConversationModel, _ reply: ReplyHandle, _ text: @escaping @MainActor @Sendable () -> String?
  ) async throws {
    let before = try #require(text())
    await Shown.until {
      text() == before + "more words "
    } while: {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await model.run() }
        group.addTask {
          for word in ["more ", "words "] {
            try? await reply.append(word)
            await Task.yield()
          }
        }
      }
    }
    #expect(model.snapshot == (try client.reader.conversation(eg.conversation, in: TimelineSpan())))
  }

  private func model() -> ConversationModel { ConversationModel(client, eg.conversation) }
}

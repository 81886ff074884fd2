import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Replies that end before their first word (rule L4).
@Suite(.timeLimit(.minutes(10))) struct EmptyReplyTests {
  private func expectFailed(
    _ row: MessageRow?, because cause: ChatConfiguration.ShownText.Failure,
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard let reason = row?.status.failure else {
      Issue.record("not failed: \(row.debugDescription)", sourceLocation: location)
      return
    }
    #expect(reason.cause == cause, sourceLocation: location)
    #expect(row?.status.text == "Failed", sourceLocation: location)
    #expect(row?.actions.contains(.retryReply) == true, sourceLocation: location)
    #expect(row?.actions.contains(.delete) == true, sourceLocation: location)
  }

  // L4.1, L4.2, L4.3
  @Test func `a reply that is stopped before its first word has failed, is retried, and is then deleted`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let reply = try await client.conversation(eg.conversation).beginReply()
        try await reply.interrupt()
        expectFailed(try client.rows().first, because: .replyStopped)
        let again = try await client.message(reply.id).retryReply()
        #expect(try client.rows().first?.status.state == .streaming)
        try await again.append("a word")
        try await again.interrupt()
        #expect(try client.rows().first?.status.state == .interrupted)
        try client.message(reply.id).delete()
        #expect(try client.rows().isEmpty)
      }
    }
  }

  // L4.1, L4.3
  @Test func `a reply whose app is killed before its first word has failed at the next launch`() throws {
    let bench = try Bench()
    do {
      try Bench.simulate { _ in }
      let client = try bench.client()
      try client.beginEmptyReply()
    }
    let client = try bench.client()
    expectFailed(try client.rows().first, because: .replyLost)
    #expect(try client.rows().first?.text == "")
  }

  // L4.1, H5.1
  @Test func `a reply under way in a conversation whose deletion is undone has failed`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        _ = try await client.conversation(eg.conversation).beginReply()
        try await client.conversation(eg.conversation).delete()
        try await client.conversation(eg.conversation).undoDeletion()
        expectFailed(try client.rows().first, because: .replyStopped)
      }
    }
  }
}

extension ChatClient {
  /// Stores the row of a reply, as the engine does at the beginning, before the first word.
  fileprivate nonisolated func beginEmptyReply() throws {
    let first = StreamPiece(
      id: "reply", conversation: EngineExample.conversation, sender: EngineExample.user, role: .assistant,
      sequence: 0,
      text: "")
    try store.write {
      try $0.streams.begin(
        first, in: EngineExample.conversation.key, by: session, answering: nil, now: EngineExample.date)
    }
  }
}

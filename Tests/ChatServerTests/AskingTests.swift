import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Queries of requests that were running when their asker ended (rule P1).
@Suite struct AskingTests {
  /// Alice asks and Bob answers in conversation `c`. Carol is not a member of it.
  private struct Stage {
    let bench: Bench
    let alice: Client
    let bob: Client
    let carol: Client
  }

  private func stage(_ limits: Limits = Limits()) async throws -> Stage {
    let bench = try await Bench(limits: limits)
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    let carol = try await bench.client("carol")
    await alice.send(eg("question"))
    _ = bob.heard()
    return Stage(bench: bench, alice: alice, bob: bob, carol: carol)
  }

  private func answer(_ id: String, in conversation: String = "c", to request: String) -> Wire.Outgoing {
    var answer = eg(id, in: conversation, role: "assistant", body: "It rains.")
    answer.content.request = RequestID(rawValue: request)
    return answer
  }

  private func piece(_ id: String, _ sequence: Int64, answering request: String?) -> Wire.ClientFrame {
    var piece = egPiece(id, sequence)
    piece.request = request
    return .piece(piece)
  }

  private func ask(_ request: String, in conversation: String = "c", number: Int64 = 1) -> Wire.ClientFrame {
    .ask(.init(number: number, request: request, conversation: conversation))
  }

  private func outcome(
    _ request: String = "r", in conversation: String = "c", for client: Client
  ) async -> [String] {
    let answers = await client.say(ask(request, in: conversation))
    return answers.map { if case .answer(let answer) = $0 { answer.outcome } else { "not an answer" } }
  }

  // P1.2
  @Test func `a request is finished once a message of its conversation answers it`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    #expect(await outcome(for: stage.alice) == ["unknown"])
    let echo = await stage.bob.send(answer("answer", to: "r"), answer("other", in: "d", to: "s"))
    #expect(echo.messages.map(\.content.request) == ["r", "s"])
    #expect(await stage.alice.say(ask("r", number: 7)) == [.answer(.init(number: 7, outcome: "finished"))])
    #expect(await outcome("s", for: stage.alice) == ["unknown"], "It is answered in another conversation.")
    #expect(await outcome("s", in: "d", for: stage.alice) == ["finished"])
    #expect(await outcome("R", for: stage.alice) == ["unknown"])
  }

  // P1.2
  @Test func `an account that is no member learns nothing`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    await stage.bob.send(answer("answer", to: "r"))
    await stage.bob.say(piece("s", 0, answering: "streamed"))
    for request in ["r", "streamed"] {
      #expect(await outcome(request, for: stage.carol) == ["unknown"])
      #expect(await outcome(request, in: "nowhere", for: stage.carol) == ["unknown"])
    }
  }

  // P1.2
  @Test func `an answered request stays finished after an edit, a deletion and a restart`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    await stage.bob.send(answer("answer", to: "r"))
    for kind in ["edit", "delete"] {
      var change = eg(kind, members: nil, body: kind == "edit" ? "It snows." : "")
      change.operation = .init(kind: kind, target: "answer")
      #expect(await stage.bob.send(change).receipts.count == 1)
      #expect(await outcome(for: stage.alice) == ["finished"])
    }
    let deleted = try #require(try await stage.bench.server.messages(in: "c").last)
    #expect(deleted.content == MessageContent(request: "r"), "Only the request is left.")
    let again = try await stage.bench.reopened().client("alice")
    #expect(await outcome(for: again) == ["finished"])
  }

  // P1.2
  @Test func `a request runs while another connection writes its answer`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    await stage.bob.say(piece("answer", 0, answering: "r"))
    await stage.bob.say(piece("answer", 1, answering: nil))
    #expect(stage.alice.heard().pieces.map(\.request) == ["r", nil])
    #expect(await outcome(for: stage.alice) == ["running"])
    #expect(await outcome("other", for: stage.alice) == ["unknown"])
    #expect(await outcome(in: "d", for: stage.alice) == ["unknown"])
    await stage.bob.send(answer("answer", to: "r"))
    #expect(await outcome(for: stage.alice) == ["finished"])
  }

  // P1.2
  @Test func `a stream runs only while the connection that writes it is open`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    await stage.bob.say(piece("answer", 0, answering: "r"))
    await stage.bench.server.disconnect(try #require(stage.bob.id))
    #expect(await outcome(for: stage.alice) == ["unknown"], "Its writer may have died.")
    let back = try await stage.bench.client("bob")
    #expect(await outcome(for: stage.alice) == ["unknown"])
    await back.say(piece("answer", 1, answering: nil))
    #expect(await outcome(for: stage.alice) == ["running"])
  }

  // P1.2
  @Test func `a connection that asks does not write the answer itself`() async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    await stage.alice.say(piece("own", 0, answering: "r"))
    #expect(await outcome(for: stage.alice) == ["unknown"], "The reply was cut off.")
    let tablet = try await stage.bench.client("alice")
    #expect(await outcome(for: tablet) == ["running"])
    await stage.bob.say(piece("answer", 0, answering: "r"))
    #expect(await outcome(for: stage.alice) == ["running"], "Another one writes an answer too.")
  }

  @Test func `the streams of a request are forgotten with their pieces`() async throws {
    var limits = Limits()
    limits.maximumStreamsPerAccount = 1
    let stage = try await stage(limits)
    defer { stage.bench.removeFolder() }
    await stage.bob.say(piece("first", 0, answering: "r"))
    await stage.bob.say(piece("second", 0, answering: "s"))
    #expect(await outcome("r", for: stage.alice) == ["unknown"])
    #expect(await outcome("s", for: stage.alice) == ["running"])
  }

  @Test(arguments: ["", "\u{1}", String(repeating: "r", count: 256)])
  func `a request that is no ID is neither answered nor asked about`(request: String) async throws {
    let stage = try await stage()
    defer { stage.bench.removeFolder() }
    let refusals = await stage.bob.send(answer("answer", to: request)).refusals
    #expect(refusals.map(\.code) == ["rejected"])
    await stage.bob.say(piece("s", 0, answering: request))
    #expect(stage.alice.heard().pieces.isEmpty)
    #expect(await stage.alice.say(ask(request)).isEmpty)
    #expect(await stage.alice.say(ask("r", in: request)).isEmpty)
    #expect(!stage.alice.isClosed)
  }

  @Test func `a question that comes too fast gets no answer, and the next one does`() async throws {
    var limits = Limits()
    // The hello and the query take a token each.
    (limits.burst, limits.messagesPerSecond) = (2, 1)
    let stage = try await stage(limits)
    defer { stage.bench.removeFolder() }
    #expect(await stage.alice.say(ask("r")).isEmpty)
    #expect(!stage.alice.isClosed)
    stage.bench.advance(by: .seconds(1))
    #expect(await outcome(for: stage.alice) == ["unknown"])
  }
}

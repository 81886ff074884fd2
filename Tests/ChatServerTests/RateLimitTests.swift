import Holdfast
import Testing

@testable import ChatServer

/// A busy server includes the time to wait (rule O7).
@Suite struct RateLimitTests {
  private func bench(burst: Int, perSecond: Double) async throws -> Bench {
    var limits = Limits()
    limits.burst = burst
    limits.messagesPerSecond = perSecond
    return try await Bench(limits: limits)
  }

  // O7.8
  @Test func `an account that sends too fast learns how long to wait`() async throws {
    // A hello uses a token too.
    let bench = try await bench(burst: 3, perSecond: 0.5)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m1"), eg("m2"), eg("m3", handover: 9))
    #expect(answer.receipts.map(\.id) == ["m1", "m2"])
    #expect(answer.refusals == [.init(id: "m3", handover: 9, kind: .busy, retryAfter: 2_000)])
    bench.advance(by: .milliseconds(1_999))
    #expect(await alice.send(eg("m3")).refusals.map(\.retryAfter) == [1])
    bench.advance(by: .milliseconds(1))
    #expect(await alice.send(eg("m3")).receipts.map(\.id) == ["m3"])
  }

  // O5.4
  @Test func `a message that chains on a busy one is a gap`() async throws {
    let bench = try await bench(burst: 2, perSecond: 1)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(
      eg("m1"), eg("m2", predecessor: "m1"), eg("m3", predecessor: "m2"))
    #expect(answer.refusals.map(\.kind) == [.busy, .gap])
  }

  // O6.2
  @Test func `a message that was accepted before is never asked to wait`() async throws {
    let bench = try await bench(burst: 2, perSecond: 1)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    #expect(await alice.send(eg("m")).receipts.map(\.id) == ["m"])
  }

  @Test func `the limit is the account's, not the connection's and not everybody's`() async throws {
    let bench = try await bench(burst: 2, perSecond: 1)
    defer { bench.removeFolder() }
    let first = try await bench.client("alice")
    let second = try await bench.client("alice")
    #expect(await first.send(eg("m1")).refusals.map(\.kind) == [.busy])
    #expect(await second.send(eg("m2")).refusals.map(\.kind) == [.busy])
    let bob = try await bench.client("bob")
    #expect(await bob.send(eg("m3")).receipts.map(\.id) == ["m3"])
  }

  // O7.8
  @Test func `asking for pages too fast ends the connection, with a time to wait`() async throws {
    let bench = try await bench(burst: 1, perSecond: 1)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.say(.sync(.init(after: nil)))
    #expect(answer.failures.map(\.code) == [.overloaded])
    #expect(answer.failures.map(\.retryAfter) == [1_000])
  }

  @Test func `a bucket fills to its brim and no further`() {
    var bucket = TokenBucket(capacity: 2, perSecond: 10, now: .zero)
    let taken = (1...3).map { _ in bucket.spend(now: .seconds(100)) }
    #expect(taken == [true, true, false])
    let wait = bucket.wait(now: .seconds(100))
    #expect(wait == .milliseconds(100))
    let later = bucket.spend(now: .seconds(100) + wait)
    #expect(later)
  }

  @Test func `a clock that stops or goes back gives nothing`() {
    var bucket = TokenBucket(capacity: 1, perSecond: 10, now: .seconds(5))
    let taken = [5, 5, 1].map { bucket.spend(now: .seconds($0)) }
    #expect(taken == [true, false, false])
  }
}

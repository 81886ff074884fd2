import Foundation
import Holdfast
import Testing

@testable import ChatServer

/// Every device receives every event of its account, in order (rule H11).
@Suite struct CatchUpTests {
  // H11
  @Test func `a new device gets everything of its account, and nothing else`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"), eg("m2", in: "private", members: ["alice"]), eg("m3"))
    let bob = try await bench.connect("bob")
    let page = try #require(await bob.say(.hello(.init(after: nil))).pages.first)
    #expect(page.after == nil)
    #expect(page.items.compactMap(\.message?.id) == ["m1", "m3"])
    #expect(page.items.count == 3)
    #expect(!page.more)
  }

  // H11
  @Test func `a device continues behind its cursor`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let cursor = try #require(await alice.send(eg("m1")).pages.last?.cursor)
    await alice.send(eg("m2"))
    let bob = try await bench.connect("bob")
    let page = try #require(await bob.say(.hello(.init(after: cursor))).pages.first)
    #expect(page.after == cursor)
    #expect(page.items.compactMap(\.message?.id) == ["m2"])
  }

  @Test func `a pong carries the end of the last page, and nothing while catching up`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let cursor = try #require(await alice.send(eg("m1")).pages.last?.cursor)
    #expect(await alice.say(.ping) == [.pong(.init(cursor: cursor))])
    await alice.say(.send(.init(messages: (2...300).map { eg("m\($0)") })))
    let bob = try await bench.connect("bob")
    #expect(await bob.say(.hello(.init(after: nil))).pages.first?.more == true)
    #expect(await bob.say(.ping) == [.pong(.init(cursor: nil))])
  }

  @Test func `a place behind the events of others is not walked again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1", members: ["alice"]))
    let bob = try await bench.connect("bob")
    let page = try #require(await bob.say(.hello(.init(after: nil))).pages.first)
    #expect(page.items.isEmpty)
    #expect(page.cursor == 2)
  }

  @Test func `the log comes in pages, each following on the last`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.say(.send(.init(messages: (1...450).map { eg("m\($0)") })))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    while let last = pages.last, last.more {
      pages += await bob.say(.sync(.init(after: last.cursor))).pages
    }
    #expect(pages.map(\.items.count) == [200, 200, 51])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
    #expect(pages.flatMap(\.items).compactMap(\.message?.order) == Array(1...450))
  }

  // H11
  @Test func `nothing live is sent before the last page, and nothing is missing after it`() async throws {
    var limits = Limits()
    limits.pageSize = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"), eg("m2"), eg("m3"))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    await alice.send(eg("m4"))
    #expect(bob.heard().isEmpty)
    while let last = pages.last, last.more {
      pages += await bob.say(.sync(.init(after: last.cursor))).pages
    }
    await alice.send(eg("m5"))
    pages += bob.heard().pages
    #expect(pages.flatMap(\.items).compactMap(\.message?.id) == ["m1", "m2", "m3", "m4", "m5"])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  @Test func `pushed pages follow on each other, past the events of others`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    await alice.send(eg("m1"))
    await alice.send(eg("m2", in: "private", members: ["alice"]))
    await alice.send(eg("m3"))
    pages += bob.heard().pages
    #expect(pages.count == 3)
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  // H11
  @Test func `a client that missed a page gets it again with sync`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob", after: 0)
    await alice.send(eg("m1"))
    let missed = try #require(bob.heard().pages.first)
    let page = try #require(await bob.say(.sync(.init(after: missed.after))).pages.first)
    #expect(page.items == missed.items)
    await alice.send(eg("m2"))
    #expect(bob.heard().pages.map(\.after) == [page.cursor])
  }

  @Test func `a push that is larger than a page comes as several`() async throws {
    var limits = Limits()
    limits.pageSize = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let pages = await alice.send(eg("m1"), eg("m2"), eg("m3"), eg("m4")).pages
    #expect(pages.map(\.items.count) == [2, 2, 1])
    #expect(pages.map(\.more) == [false, false, false])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  @Test func `long texts make short pages, of one item at least`() async throws {
    var limits = Limits()
    limits.maximumPageBytes = 3_000
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let body = String(repeating: "x", count: 1_000)
    // Each of these characters is two bytes of JSON.
    let quotes = String(repeating: "\"", count: 2_000)
    await alice.send(eg("m1", body: body), eg("m2", body: body), eg("m3", body: quotes), eg("m4"))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    while let last = pages.last, last.more {
      pages += await bob.say(.sync(.init(after: last.cursor))).pages
    }
    #expect(pages.map { $0.items.compactMap(\.message?.id) } == [["m1", "m2"], ["m3"], ["m4"]])
  }

  @Test func `long formatting makes short pages too`() async throws {
    var limits = Limits()
    limits.maximumPageBytes = 4_500
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    // In base64 they are 4,000 bytes.
    let spans = Data(repeating: 0xFF, count: 3_000)
    await alice.send(eg("m1", formatting: spans), eg("m2", formatting: spans), eg("m3"), eg("m4"))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    while let last = pages.last, last.more {
      pages += await bob.say(.sync(.init(after: last.cursor))).pages
    }
    #expect(pages.map { $0.items.compactMap(\.message?.id) } == [[], ["m1"], ["m2"], ["m3", "m4"]])
  }

  @Test func `a cursor that was never given starts at the beginning`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    let bob = try await bench.connect("bob")
    let page = try #require(await bob.say(.hello(.init(after: .max))).pages.first)
    #expect(page.after == nil)
    #expect(page.cursor == 2)
    #expect(page.items.count == 2)
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct SuspendingTests {
  // S7.1, S7.3
  @Test(arguments: [true, false])
  func `a suspended client holds no lock and has no file of the database open`(isShared: Bool) throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let client = try shared.client(shared.app, isShared: isShared)
      try await shared.running(client) {
        shared.app.say(.ready)
        try client.send("hello", in: eg.conversation)
        client.drafts.edit("half a thought", in: eg.conversation)
        await shared.app.transmission(1)
        let held = HeldFiles(folder: bench.scratch.url)
        #expect(try held.locks.contains { $0.contains("FLOCK") }, "It drains.")
        #expect(try held.names.contains("store.sqlite"))

        try await client.suspend()
        #expect(try held.locks == [])
        #expect(try !held.names.contains { $0.hasPrefix("store.sqlite") })
        try await client.suspend()

        try await client.resume()
        #expect(try client.drafts.stored(in: eg.conversation) == ["half a thought"])
        try await client.resume()
      }
    }
  }

  // S7.2, S7.3
  @Test func `between suspend and resume calls fail with a reason, and texts stay in the composer`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try await client.suspend()
        #expect(refusal { try client.send("hello", in: eg.conversation) } == .suspended)
        #expect(refusal { _ = try client.outbox.unsentCount() } == .suspended)
        #expect(refusal { try client.createConversation("another") } == .suspended)
        client.drafts.edit("typed in between", in: eg.conversation)
        #expect(refusal { try client.conversation(eg.conversation).sendDraft() } != nil)
        #expect(client.drafts.text(in: eg.conversation) == "typed in between")
        #expect(client.draft().problem != nil)
        #expect(refusal { try client.hardSave() } == .suspended)
        // The time of an autosave passes without a save.
        try await bench.pass(.seconds(20))

        try await client.resume()
        try await bench.rest()
        #expect(try client.drafts.stored(in: eg.conversation) == ["typed in between"])
        #expect(client.draft().problem == nil)
        try client.conversation(eg.conversation).sendDraft()
        #expect(try client.bodies() == ["typed in between"])
      }
    }
  }

  // S7.3
  @Test func `the work of run() stops with suspend, and continues with resume`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        #expect(client.connectivity == .online)
        try await client.suspend()
        #expect(client.connectivity != .online)
        try await bench.pass(.seconds(3600))
        #expect(bench.transport.cursors.count == 1, "Nobody connects meanwhile.")

        try await client.resume()
        try await bench.rest()
        #expect(bench.transport.cursors.count == 2)
        bench.transport.say(.ready)
        try client.send("after", in: eg.conversation)
        #expect(await bench.transport.transmission(1).text == "after")
      }
    }
  }

  // S7.1, S7.3
  @Test(arguments: [false, true])
  func `in the background a client is suspended where the system suspends apps, and works on elsewhere`(
    suspendsApps: Bool
  ) throws {
    try Bench.simulate { bench in
      var configuration = ChatConfiguration()
      configuration.suspendsApps = suspendsApps
      try await bench.running(configuration) { client in
        bench.transport.say(.ready)
        try await bench.rest()
        client.drafts.edit("half", in: eg.conversation)
        try await client.enterBackground()
        #expect(try HeldFiles(folder: bench.scratch.url).locks.isEmpty == suspendsApps)
        #expect((client.connectivity == .online) == !suspendsApps)
        try await client.resume()
        #expect(try client.drafts.stored(in: eg.conversation) == ["half"])
        try await bench.rest()
        bench.transport.say(.ready)
        try client.send("after", in: eg.conversation)
        #expect(await bench.transport.transmission(1).text == "after")
      }
    }
  }

  // O15, S7.1
  @Test func `another process sends while this one is suspended, and is seen afterwards`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(first) {
        try await first.suspend()
        try await shared.running(second) {
          shared.other.say(.ready)
          let id = try second.send("from the extension", in: eg.conversation)
          await shared.other.transmission(1)
          shared.other.say(.receipts([eg.receipt(id)]))
          try await bench.rest()
        }
        try await first.resume()
        #expect(try first.rows().map(\.status.state) == [.delivered])
        try await bench.rest()
        #expect(shared.app.cursors.count == 2)
      }
    }
  }

  // S7
  @Test func `text that cannot be stored does not stop a suspension`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        client.drafts.edit("no room", in: eg.conversation)
        bench.gate.fail()
        await #expect(throws: ChatError.self) { try await client.suspend() }
        #expect(refusal { _ = try client.outbox.unsentCount() } == .suspended)
        bench.gate.heal()
        try await client.resume()
        try await bench.pass(.seconds(1))
        #expect(try client.drafts.stored(in: eg.conversation) == ["no room"])
      }
    }
  }

  // P4, S7
  @Test func `a resume that fails leaves the client suspended, and the next one succeeds`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try await client.suspend()
        bench.gate.lock(true)
        await #expect(throws: ChatError.locked) { try await client.resume() }
        #expect(refusal { _ = try client.outbox.unsentCount() } == .suspended)
        bench.gate.lock(false)
        try await client.resume()
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // S7.2
  @Test func `threads that store while the client is suspended either store or get an error`() async throws {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    let codes = try await withThrowingTaskGroup(of: (Int, Set<String>).self) { group in
      for writer in 0..<3 {
        group.addTask {
          var (stored, codes) = (0, Set<String>())
          for number in 0..<100 {
            do {
              try client.send("\(writer) \(number)", in: eg.conversation)
              _ = try client.rows()
              stored += 1
            } catch let error as ChatError {
              codes.insert(error.code.rawValue)
            }
          }
          return (stored, codes)
        }
      }
      for _ in 0..<20 {
        try await client.suspend()
        try await client.resume()
      }
      return try await group.reduce(into: (0, Set<String>())) { sum, next in
        sum.0 += next.0
        sum.1.formUnion(next.1)
      }
    }
    #expect(codes.1.isSubset(of: ["suspended"]))
    // A message that was stored but could not be shown afterwards counts as failed.
    #expect(try client.outbox.unsentCount() >= codes.0)
    #expect(try StoreInspection.examine(bench.scratch.url).damages == [])
  }

  // S7.1
  @Test(arguments: [false, true])
  func `in the background drafts alone are closed where the system suspends apps`(suspendsApps: Bool) throws {
    let bench = try Bench()
    var configuration = ChatConfiguration(environment: bench.environment)
    configuration.suspendsApps = suspendsApps
    let drafts = try DraftController(
      storage: .folder(bench.scratch.url), user: eg.user, configuration: configuration)
    let composer = drafts.composer(in: "notes")
    composer.edit("half")
    try drafts.enterBackground()
    composer.edit("half a thought")
    #expect(refusal { try drafts.hardSave() } == (suspendsApps ? .suspended : nil))
    if suspendsApps { try drafts.resume() }
    try drafts.hardSave()
    #expect(try composer.content().text == "half a thought")
  }

  // S7.1, S7.2, S7.3
  @Test func `drafts alone are suspended and resumed too`() throws {
    let bench = try Bench()
    let drafts = try DraftController(
      storage: .folder(bench.scratch.url), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
    let composer = drafts.composer(in: "notes")
    composer.edit("half")
    try drafts.suspend()
    #expect(try HeldFiles(folder: bench.scratch.url).locks == [])
    composer.edit("half a thought")
    #expect(refusal { try drafts.hardSave() } == .suspended)
    try drafts.resume()
    try drafts.hardSave()
    #expect(try composer.content().text == "half a thought")
  }
}

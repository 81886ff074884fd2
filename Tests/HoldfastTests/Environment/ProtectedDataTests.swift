import EngineFixtures
import Foundation
import GRDB
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct ProtectedDataTests {
  // P4.1, P4.2
  @Test func `a store that is locked at launch is waited for, and left as it is`() throws {
    try Bench.simulate { bench in
      try bench.client().send("before", in: eg.conversation)
      let before = try bench.scratch.bytes(of: "store.sqlite")
      let protectedData = ProtectedData(isAvailable: false)
      bench.gate.lock(true)
      let opened = Mutexed<ChatClient?>(nil)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let client = try await ChatClient.open(with: protectedData, bench.environment) {
            try bench.client(isSimulated: true)
          }
          opened.withLock { $0 = client }
        }
        try await bench.pass(.seconds(60))
        // The notification comes too early. The app tries to open the store, and waits again.
        protectedData.set(isAvailable: true)
        try await bench.rest()
        #expect(opened.withLock { $0 } == nil)
        #expect(try bench.scratch.bytes(of: "store.sqlite") == before)
        bench.gate.lock(false)
        protectedData.set(isAvailable: true)
        try await group.waitForAll()
      }
      #expect(try opened.withLock { $0 }?.bodies() == ["before"])
    }
  }

  // P4.1
  @Test func `the wait for a locked store ends with its task, and at once for another error`() throws {
    try Bench.simulate { bench in
      let protectedData = ProtectedData(isAvailable: false)
      bench.gate.lock(true)
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          do {
            _ = try await ChatClient.open(with: protectedData, bench.environment) { try bench.client() }
            return false
          } catch {
            return error is CancellationError
          }
        }
        group.cancelAll()
        #expect(await group.next() == true)
      }
      await #expect(throws: ChatError(.storageDamaged, "")) {
        _ = try await ChatClient.open(with: protectedData, bench.environment) {
          throw ChatError(.storageDamaged, "")
        }
      }
    }
  }

  // P4.1
  @Test func `a store that is locked while it runs says so, and goes on at once when it is not`() throws {
    try Bench.simulate { bench in
      let protectedData = ProtectedData()
      let client = try bench.client(.init(protectedData: protectedData), isSimulated: true)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        bench.transport.say(.ready)
        try await bench.rest()
        bench.gate.fail(with: .locked)
        client.drafts.edit("typed while locked", in: eg.conversation)
        #expect(throws: ChatError.locked) { try client.send("hello", in: eg.conversation) }
        try await bench.pass(.seconds(3))
        #expect(client.draft().problem?.code == .storageLocked)
        #expect(client.drafts.text(in: eg.conversation) == "typed while locked")

        bench.gate.heal()
        protectedData.set(isAvailable: true)
        try await bench.rest()
        #expect(client.draft().problem == nil)
        #expect(try client.drafts.stored(in: eg.conversation) == ["typed while locked"])
      }
    }
  }

  // P4.2
  @Test func `SQLite's error about a protected file is a lock, and no damage`() {
    #expect(ChatError(DatabaseError(resultCode: .SQLITE_AUTH)).code == .storageLocked)
    #expect(ChatError(DatabaseError(resultCode: .SQLITE_CANTOPEN)).code == .storagePermissions)
    #expect(ChatError(DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)).code == .storageFull)
    #expect(ChatError(DatabaseError(resultCode: .SQLITE_IOERR)).code == .storageFailed)
  }
}

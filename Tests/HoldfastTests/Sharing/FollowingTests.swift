import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Data that one process stores, and another one notices.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
  // O15.1
  @Test func `a message that another process stores leaves at once, and is shown at once`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (app, other) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(app) {
        shared.app.say(.ready)
        try await bench.rest()
        try await withThrowingTaskGroup(of: [String].self) { group in
          group.addTask {
            for await timeline in app.conversation(eg.conversation).timeline() where !timeline.rows.isEmpty {
              return timeline.rows.map(\.text)
            }
            return []
          }
          try await bench.rest()
          try other.send("shared", in: eg.conversation)
          shared.watcher.notify(FileLock.write)
          #expect(await shared.app.transmission(1).text == "shared")
          #expect(try await group.next() == ["shared"])
        }
      }
    }
  }

  // O15.1
  @Test func `without a notification, it is noticed in the foreground`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (app, other) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(app) {
        shared.app.say(.ready)
        try await bench.rest()
        try other.send("shared", in: eg.conversation)
        try await bench.rest()
        #expect(shared.app.sent.isEmpty)
        await app.reconnectNow()
        await shared.app.transmission(1)
      }
    }
  }

  // H5, H11.4, O15.1
  @Test func `what made room is said with the rows that are left, before the change is heard of`() throws {
    let shared = SharedBench(try Bench())
    let app = try shared.client(shared.app, isSimulated: false)
    let other = try shared.client(shared.other, isSimulated: false)
    try other.takeIn(
      (1...120).map { eg.incoming(MessageID(rawValue: "\($0)"), "text", order: Int64($0)) })
    #expect(try !app.reader.conversation(eg.conversation, limit: 200).hasEvicted)
    try other.store.write { transaction in
      _ = try transaction.history.evict(
        transaction.history.evictable(in: eg.conversation.key, keeping: 100, limit: 100))
    }
    let fewer = try app.reader.conversation(eg.conversation, limit: 200)
    #expect(fewer.rows.count == 100)
    #expect(fewer.hasEvicted)
    try other.store.write { _ = try $0.deletions.hide(eg.conversation.key) }
    let hidden = try app.reader.conversation(eg.conversation, limit: 200)
    #expect(!hidden.exists)
    #expect(hidden.rows.isEmpty)
  }

  // O4, O15.1
  @Test func `a process that forgets to share sends on its next occasion, in the order of the queue`() throws
  {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let app = try shared.client(shared.app, isShared: false)
      let other = try shared.client(shared.other, isShared: false)
      try await shared.running(app) {
        shared.app.say(.ready)
        try await bench.rest()
        let first = try other.send("shared", in: eg.conversation)
        shared.watcher.notify(FileLock.write)
        try await bench.rest()
        #expect(shared.app.sent.isEmpty)
        try app.send("own", in: eg.conversation)
        #expect(await shared.app.transmission(1).id == first)
        shared.app.say(.receipts([eg.receipt(first)]))
        #expect(await shared.app.transmission(2).text == "own")
      }
    }
  }

  // O9.5, O15
  @Test func `a message that another process is sending cannot be taken back here`() async throws {
    let shared = SharedBench(try Bench())
    let app = try shared.client(shared.app, isSimulated: false)
    let other = try shared.client(shared.other, isSimulated: false)
    let id = try other.send("shared", in: eg.conversation)
    try app.transmit(id)
    await #expect { try await other.message(id).takeBack() } throws: { ($0 as? ChatError)?.code == .tooLate }
    await #expect { try await other.message(id).cancel() } throws: { ($0 as? ChatError)?.code == .tooLate }
    #expect(try other.bodies() == ["shared"])
  }

  // P3.4
  @Test func `the locks are private to the user, and their names lead nowhere else`() throws {
    let scratch = try ScratchFolder()
    let file = scratch.url.appendingPathComponent(FileLock.drain)
    _ = try FileLock(file)
    #expect(try scratch.mode(of: FileLock.drain) == 0o600)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/etc/hostname")
    #expect { try FileLock(file) } throws: { ($0 as? ChatError)?.code == .storagePermissions }
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

extension ChatClient {
  fileprivate nonisolated var unread: Int {
    get throws { try #require(reader.list(limit: 10).rows.first { $0.id == eg.conversation }).unreadCount }
  }

  fileprivate nonisolated func readers(of id: MessageID) throws -> [UserID] { try row(id).readBy }
}

/// The read marks of each member (rule B13), with the real server.
@Suite(.timeLimit(.minutes(10))) struct ReadMarkTests {
  private static func reads(_ bench: RelayBench) -> [String] {
    bench.frames.compactMap { if case .read(let read) = $0 { read.message } else { nil } }
  }

  // B13.2, B13.3
  @Test func `a read message is reported to its sender, and counted as unread by nobody`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let ids = [try alice.send("one", in: eg.conversation), try alice.send("two", in: eg.conversation)]
        #expect(try alice.unread == 0, "Own messages are never unread.")
        try await bench.running("bob") { bob in
          try await bench.pass(.seconds(5))
          #expect(try bob.unread == 2)
          #expect(try alice.readers(of: ids[0]).isEmpty)
          try bob.conversation(eg.conversation).markRead(upTo: ids[0])
          #expect(try bob.unread == 1)
          try await bench.pass(.seconds(5))
          #expect(try alice.readers(of: ids[0]) == ["bob"])
          #expect(try alice.readers(of: ids[1]).isEmpty)
          try bob.conversation(eg.conversation).markRead()
          try await bench.pass(.seconds(5))
          #expect(try bob.unread == 0)
          #expect(try alice.readers(of: ids[1]) == ["bob"])
          #expect(try bob.readers(of: ids[1]).isEmpty, "A row names neither its reader nor its sender.")
        }
      }
      #expect(try bench.client("bob").unread == 0, "After a launch.")
      #expect(try bench.client("alice").rows().map(\.readBy) == [["bob"], ["bob"]])
    }
  }

  // B13.1
  @Test func `marks wait offline, and the newest one alone is sent`() throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let ids = try (1...5).map { try alice.send("\($0)", in: eg.conversation) }
      try await bench.running("alice") { _ in try await bench.pass(.seconds(5)) }
      try await bench.running("bob") { _ in try await bench.pass(.seconds(5)) }
      let bob = try bench.client("bob")
      for id in ids.dropLast() { try bob.conversation(eg.conversation).markRead(upTo: id) }
      #expect(Self.reads(bench).isEmpty)
      try await bench.running("bob") { bob in
        try await bench.pass(.seconds(5))
        #expect(Self.reads(bench) == [ids[3].rawValue])
        #expect(try bob.unread == 1)
        try await bench.pass(.seconds(120))
        #expect(Self.reads(bench).count == 1, "A mark that has come back is not sent again.")
      }
    }
  }

  // B13.1
  @Test func `marks that follow on each other are sent once a second`() throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let ids = try (1...5).map { try alice.send("\($0)", in: eg.conversation) }
      try await bench.running("alice") { _ in try await bench.pass(.seconds(5)) }
      try await bench.running("bob") { bob in
        try await bench.pass(.seconds(5))
        for id in ids {
          try bob.conversation(eg.conversation).markRead(upTo: id)
          try await bench.pass(.milliseconds(100))
        }
        try await bench.pass(.seconds(5))
        #expect(Self.reads(bench).count <= 2)
        #expect(Self.reads(bench).last == ids[4].rawValue)
      }
    }
  }

  // B13.1
  @Test(arguments: [RelayBench.Outcome.isLost, .cutsTheLink, .arrivesTwice])
  func `a mark whose frame is lost is sent again`(outcome: RelayBench.Outcome) throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let id = try alice.send("hello", in: eg.conversation)
      let isFirst = Mutexed(true)
      bench.decide { frame in
        guard case .read = frame else { return .arrives }
        return isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? outcome : .arrives
        }
      }
      try await bench.running("alice") { alice in
        try await bench.running("bob") { bob in
          try await bench.pass(.seconds(5))
          try bob.conversation(eg.conversation).markRead()
          try await bench.pass(.seconds(90))
          #expect(try alice.readers(of: id) == ["bob"])
          let marks = bench.frames.count { if case .read = $0 { true } else { false } }
          // A mark that arrives twice is sent once.
          if outcome == .arrivesTwice { #expect(marks == 1) } else { #expect(marks >= 2) }
        }
      }
    }
  }

  // B13.1
  @Test func `a mark moves forward only, on the device and on the server`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let ids = try (1...3).map { try alice.send("\($0)", in: eg.conversation) }
        try await bench.running("bob") { bob in
          try await bench.pass(.seconds(5))
          try bob.conversation(eg.conversation).markRead()
          try await bench.pass(.seconds(5))
          try bob.conversation(eg.conversation).markRead(upTo: ids[0])
          #expect(try bob.unread == 0)
          try await bench.pass(.seconds(40))
          #expect(Self.reads(bench) == [ids[2].rawValue])
          try alice.store.write {
            try $0.readMarks.apply(
              .init(conversation: eg.conversation, reader: "bob", message: ids[0], order: 1),
              in: eg.conversation.key, by: "alice", now: eg.date)
          }
          #expect(try alice.readers(of: ids[2]) == ["bob"])
        }
      }
    }
  }

  @Test func `an unknown message, and one that is not delivered, move no mark`() throws {
    let client = try Bench().client()
    let chat = client.conversation(eg.conversation)
    #expect(throws: ChatError.self) { try chat.markRead(upTo: "nothing") }
    #expect(throws: ChatError.self) { try client.conversation("nowhere").markRead() }
    try client.takeIn(orders: 1...3)
    let waiting = try client.send("waits", in: eg.conversation)
    #expect(try client.unread == 3)
    try chat.markRead(upTo: waiting)
    #expect(try client.unread == 0)
    #expect(
      try client.store.read { try $0.readMarks.pending(of: eg.user) }.isEmpty, "This server keeps no marks.")
  }

  // B13.3
  @Test func `deleted messages are not unread, and imported ones neither`() throws {
    let client = try Bench().client()
    try client.takeIn(orders: 1...2)
    try client.takeIn(eg.incoming("m2", order: 2, revision: 1, deletedAt: eg.date))
    #expect(try client.unread == 1)
    try client.store.write { try $0.readMarks.readAll(in: eg.conversation.key) }
    #expect(try client.unread == 0)
  }
}

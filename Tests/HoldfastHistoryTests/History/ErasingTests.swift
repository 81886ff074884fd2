import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Deleted contents are gone from the files once Undo cannot restore them (rules H5, S9).
@Suite(.timeLimit(.minutes(10))) struct ErasingTests {
  // H5.3, H5.4, S9.1, S9.2, U18
  @Test func `after eight seconds it is erased, and no file has anything of it`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        try Trip.make(client)
        for number in 0..<450 {
          let body = number == 17 ? "seventeen quixotic" : "number \(number)"
          try client.takeIn(
            eg.incoming(MessageID(rawValue: "m\(number)"), in: Trip.id, body, order: Int64(number + 1)))
        }
        try client.send("zanzibar unsent", in: Trip.id)
        client.drafts.edit("version with mandolin in it", in: Trip.id)
        try client.hardSave()
        client.drafts.edit("draft", in: Trip.id)
        try client.hardSave()
        try await bench.pass(.seconds(5))
        try expect(try !bench.files(having: "quixotic").isEmpty, "it was there")
        try await client.conversation(Trip.id).delete()
        try await bench.pass(.seconds(60))
        do {
          try await client.conversation(Trip.id).undoDeletion()
          throw Missed("it is too late")
        } catch let error as ChatError { try expect(error.code == .tooLate, "\(error.code)") }
        try expect(try client.reader.list(limit: 10).undoable.isEmpty, "Undo is no longer offered")
        for word in ["quixotic", "zanzibar", "mandolin", "seventeen"] {
          let files = try bench.files(having: word)
          try expect(files.isEmpty, "\(word) is in \(files)")
        }
        try expect(try client.storedConversation(Trip.id) == nil, "the row is gone")
      }
    }
  }

  // H5.4, S9.2
  @Test func `an app that is killed while Undo is offered erases it at the next launch`() throws {
    try Bench.simulate { bench in
      do {
        let client = try bench.client(isSimulated: true)
        try Trip.make(client)
        try client.send("quixotic", in: Trip.id)
        try await client.conversation(Trip.id).delete()
      }
      do {
        let client = try bench.client(isSimulated: true)
        try expect(try !client.reader.conversation(Trip.id, limit: 10).exists, "it stays hidden")
        try expect(try client.outbox.unsentCount() == 0, "and unsent")
      }
      try await bench.running { client in
        try await bench.pass(.seconds(10))
        try expect(try client.storedConversation(Trip.id) == nil, "the row is gone")
        try expect(try bench.files(having: "quixotic").isEmpty, "and the text")
      }
    }
  }

  // D16.5, H5.3, H5.4, S9.4
  @Test func `the files of a deleted conversation go with it, and not before Undo is over`() async throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client()
    try Trip.make(client)
    try client.conversation(Trip.id).attach(Data("picture of a walrus".utf8), name: "walrus.png")
    try client.conversation(Trip.id).sendDraft()
    try client.conversation(Trip.id).attach(Data("picture of a narwhal".utf8), name: "narwhal.png")
    try await client.conversation(Trip.id).delete()
    #expect(try bench.files(having: "walrus").count > 1)
    try await client.conversation(Trip.id).undoDeletion()
    #expect(client.drafts.attachments(in: Trip.id).map(\.name) == ["narwhal.png"])
    try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
    while try client.store.write({ try $0.deletions.eraseSome(of: Trip.id.key, limit: 1) }) {}
    #expect(try client.store.auditAttachments(isSwept: false) == AttachmentAudit())
    try client.store.emptyJournal()
    for word in ["walrus", "narwhal"] { #expect(try bench.files(having: word).isEmpty, "\(word)") }
  }

  // H5.2, H5.4, S9.1, S9.2
  @Test func `all that was deleted is erased by run()`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try Trip.make(client)
        try client.send("quixotic", in: Trip.id)
        client.drafts.edit("zanzibar", in: eg.conversation)
        try client.hardSave()
        try await bench.pass(.seconds(5))
        for word in ["quixotic", "zanzibar"] {
          try expect(try !bench.files(having: word).isEmpty, "\(word) is in no file")
        }
        try await client.conversation(Trip.id).delete()
        try await client.deleteAllConversations(confirmedBy: try client.deletionQuestion())
        try await bench.pass(.seconds(20))
        for word in ["quixotic", "zanzibar"] {
          try expect(try bench.files(having: word).isEmpty, word)
        }
      }
    }
  }

  // O15, H5.1
  @Test func `another process on the store sees the deletion and the Undo, and erases only after it`() throws
  {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let app = try shared.client(shared.app)
      let other = try shared.client(shared.other)
      try Trip.make(app)
      try app.send("one", in: Trip.id)
      try await shared.running(other) {
        try await app.conversation(Trip.id).delete()
        await other.noticeOthers()
        try expect(try !other.reader.conversation(Trip.id, limit: 10).exists, "hidden there too")
        try expect(try other.reader.list(limit: 10).undoable.isEmpty, "Undo is not its own to offer")
        try await bench.pass(.seconds(7))
        try await app.conversation(Trip.id).undoDeletion()
        await other.noticeOthers()
        try expect(try Trip.bodies(other) == ["one"], "back there too")
        try await bench.pass(.seconds(60))
        try expect(try Trip.bodies(other) == ["one"], "and it stays")
        try await app.conversation(Trip.id).delete()
        await other.noticeOthers()
        try await bench.pass(.seconds(60))
        try expect(try other.storedConversation(Trip.id) == nil, "erased by the one that runs")
      }
    }
  }
}

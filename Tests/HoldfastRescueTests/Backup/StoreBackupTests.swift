import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct StoreBackupTests {
  private let bench: Bench
  private let place: ScratchFolder

  init() throws {
    bench = try Bench(carriesAttachments: true, inMemory: true)
    place = try ScratchFolder(inMemory: true)
  }

  private var backup: URL { place.url.appendingPathComponent("backup") }

  private func filledClient() throws -> ChatClient {
    let client = try bench.client()
    for number in 1...50 { try client.send("message \(number)", in: eg.conversation) }
    client.drafts.edit("half a thought", in: eg.conversation)
    try client.hardSave()
    try client.conversation(eg.conversation).attach(Data("picture".utf8), name: "p.png")
    return client
  }

  // S10.1
  @Test func `a copy made while the app writes is one moment of the store, private, and restorable`()
    async throws
  {
    let client = try filledClient()
    let steps = Mutexed<[BackupProgress]>([])
    let report = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for number in 1...50 { try client.send("later \(number)", in: eg.conversation) } }
      defer { group.cancelAll() }
      return try client.backUp(to: backup) { step in steps.withLock { $0.append(step) } }
    }
    #expect((report.attachments, report.missingAttachments) == (1, 0))
    #expect(FolderContents(backup).openPermissions == [:])
    #expect(steps.withLock { $0.last?.completed == $0.last?.total && !$0.isEmpty })
    #expect(try StoreInspection.examine(backup).isHealthy)

    let restored = place.url.appendingPathComponent("restored")
    try StoreBackup.restore(from: backup, toFolder: restored)
    #expect(FolderContents(restored).openPermissions == [:])
    let store = try Store(folder: restored, owner: eg.user)
    #expect(try store.read { try $0.drafts.restorable(eg.key) }?.content.text == "half a thought")
    #expect(try store.read { try $0.outbox.unsentCount() } >= 50)
    let file = try #require(try store.read { try $0.attachments.here() }.keys.first)
    #expect(try Data(contentsOf: store.attachments.file(of: file)) == Data("picture".utf8))
    #expect(
      try store.device { "another" } == "another", "Two devices of one name would end each other's links.")
  }

  // S10
  @Test func `nothing is overwritten, neither by a backup nor by a restore`() throws {
    let client = try filledClient()
    try client.backUp(to: backup)
    #expect(refusal { try client.backUp(to: backup) } == .alreadyThere)
    let before = try bench.scratch.bytes(of: "store.sqlite")
    #expect(refusal { try StoreBackup.restore(from: backup, toFolder: bench.scratch.url) } == .alreadyThere)
    #expect(try bench.scratch.bytes(of: "store.sqlite") == before)
  }

  // S10.2
  @Test(arguments: ["database", "attachment", "nothing"])
  func `a backup that is damaged is not restored`(damaged: String) throws {
    try filledClient().backUp(to: backup)
    var file = backup.appendingPathComponent("store.sqlite")
    if damaged == "attachment" {
      let name = try #require(FolderContents(backup.appendingPathComponent("attachments")).names.first)
      file = backup.appendingPathComponent("attachments/" + name)
    }
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(
      bytes.count / 2..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - bytes.count / 2))
    if damaged == "nothing" {
      try FileManager.default.removeItem(at: file)
    } else {
      try bytes.write(to: file)
    }
    try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let target = place.url.appendingPathComponent("restored")
    #expect(
      refusal { try StoreBackup.restore(from: backup, toFolder: target) }
        == (damaged == "nothing" ? .storageUnavailable : .backupDamaged))
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  // S10
  @Test func `a backup that its caller stops leaves nothing`() throws {
    struct Stop: Error {}
    let client = try filledClient()
    #expect(throws: Stop.self) { try client.backUp(to: backup) { _ in throw Stop() } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == [])
    try client.backUp(to: backup)
  }

  // H6, S2, S6.3
  @Test func `the diagnostics say versions, sizes, counts, permissions and place`() throws {
    let client = try filledClient()
    let diagnostics = try client.storeDiagnostics()
    #expect(diagnostics.location.path == bench.scratch.url.path)
    #expect((diagnostics.unsent, diagnostics.failed, diagnostics.messages) == (50, 0, 50))
    #expect((diagnostics.drafts, diagnostics.attachments, diagnostics.conversations) == (1, 1, 1))
    #expect(diagnostics.attachmentBytes == 7)
    #expect(diagnostics.databaseBytes >= 4096)
    #expect(diagnostics.journalBytes > 0)
    #expect(diagnostics.hasReserve)
    #expect(diagnostics.isPrivate)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: bench.scratch.url.appendingPathComponent("store.sqlite").path)
    #expect(try client.storeDiagnostics().openPermissions == ["store.sqlite": "0644"])
  }

  // S2.1
  @Test(arguments: [
    ("3.6.23", false), ("3.7.0", true), ("3.40.1", true), ("3.51.2", true), ("3.51.3", false),
    ("3.52.0", false),
    ("4.0.0", false),
  ])
  func `the versions of SQLite with the WAL-reset bug are known`(version: String, hasFault: Bool) {
    #expect(StoreDiagnostics.hasJournalResetFault(version) == hasFault)
  }

  // D4.1, H2.3, S6.2
  @Test func `in the background the journal is emptied, and room is given back to the disk`() async throws {
    let client = try bench.client()
    client.drafts.edit(String(repeating: "x", count: 1 << 20), in: eg.conversation)
    try client.hardSave()
    _ = try client.drafts.discard(in: eg.conversation)
    let before = try client.storeDiagnostics()
    #expect(before.freeBytes > 1 << 19)
    client.drafts.edit("typed", in: eg.conversation)
    try await client.enterBackground()
    let after = try client.storeDiagnostics()
    #expect(after.freeBytes == 0)
    #expect(after.databaseBytes < before.databaseBytes - 1 << 19)
    #expect(after.journalBytes == 0)
    #expect(try client.drafts.stored(in: eg.conversation) == ["typed"])
  }

  // S6.1
  @Test func `a journal that one transaction has made long is cut`() throws {
    let client = try bench.client()
    try client.store.write {
      try $0.run("INSERT INTO setting (name, value) VALUES ('large', randomblob(?))", [6 << 20])
    }
    #expect(try client.storeDiagnostics().journalBytes > 6 << 20)
    try client.createConversation("another")
    #expect(try client.storeDiagnostics().journalBytes <= 4 << 20)
  }
}

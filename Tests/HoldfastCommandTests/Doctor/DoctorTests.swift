import CommandFixtures
import Foundation
import Holdfast
import Processes
import Testing

@testable import HoldfastCommand

/// The command runs as a separate process.
@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "holdfast-doctor-\(UUID().uuidString)")
  private var store: URL { folder.appending(path: "alice") }

  private func makeStore() throws {
    let drafts = try DraftController(storage: .folder(store), user: "alice")
    let composer = drafts.composer(in: "notes")
    composer.edit("half a thought")
    try drafts.suspend()
  }

  private func damage() throws {
    let file = store.appending(path: "store.sqlite")
    let handle = try FileHandle(forUpdating: file)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
    try handle.close()
  }

  // H6.6, S2.3, S6.3
  @Test func `doctor and stats describe a store that is whole, for readers and for programs`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeStore()
    let doctor = try holdfast("doctor", store.path)
    #expect(doctor.status == 0, "\(doctor.output)")
    for word in ["location     \(store.path)", "sqlite", "permissions  private", "1 drafts", "whole"] {
      #expect(doctor.output.contains(word), "\(word)")
    }
    #expect(!doctor.output.contains("half a thought"))
    let json = try holdfast("doctor", store.path, "--json")
    let findings = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect((findings?["diagnostics"] as? [String: Any])?["drafts"] as? Int == 1)
    let stats = try holdfast("stats", store.path)
    #expect(stats.status == 0)
    #expect(stats.output.contains("1 conversations"))
  }

  // H9.9
  @Test func `the name of a folder gives the terminal no orders, and begins no line`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appending(path: "a\u{1B}]0;b\u{7}\u{202E}\nwhole")
    let drafts = try DraftController(storage: .folder(store), user: "alice")
    let composer = drafts.composer(in: "notes")
    composer.edit("half a thought")
    try drafts.suspend()
    let doctor = try holdfast("doctor", store.path)
    #expect(doctor.status == 0, "\(doctor.output)")
    #expect(doctor.output.hasPrefix("\u{2068}location     \(folder.path)/a\u{FFFD}"))
    #expect(
      doctor.output.contains("a\u{FFFD}]0;b\u{FFFD}\u{202E}\u{202C}\u{2069} whole\n"), "\(doctor.output)")
    let controls = doctor.output.unicodeScalars.filter { $0 == "\u{1B}" || $0 == "\u{7}" }
    #expect(controls.isEmpty)
  }

  // S3.2, S3.3, S3.4
  @Test func `doctor reports damage, salvages what can be read, and sets the rest aside`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeStore()
    try damage()
    let doctor = try holdfast("doctor", store.path)
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("storageDamaged"))
    let salvage = try holdfast("doctor", "--salvage", "--user", "alice", store.path)
    #expect(salvage.output.contains("salvaged     1 drafts"), "\(salvage.output)")
    #expect(salvage.output.contains("set aside    \(store.path).damaged"))
    let drafts = try DraftController(storage: .folder(store), user: "alice")
    #expect(try drafts.composer(in: "notes").content().text == "half a thought")
  }

  // S9
  @Test func `doctor compacts a store that is whole, and no other`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeStore()
    let compact = try holdfast("doctor", "--compact", store.path)
    #expect(compact.status == 0, "\(compact.output)")
    #expect(compact.output.contains("compacted    from "))
    let drafts = try DraftController(storage: .folder(store), user: "alice")
    #expect(try drafts.composer(in: "notes").content().text == "half a thought")
    try drafts.suspend()
    try damage()
    #expect(try holdfast("doctor", "--compact", store.path).status == 1)
    #expect(try holdfast("doctor", "--compact", "--salvage", store.path).status == 64)
  }

  // S10.1
  @Test func `backup and restore make a copy and a store of it, and overwrite nothing`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeStore()
    let copy = folder.appending(path: "copy").path
    #expect(try holdfast("backup", store.path, "--to", copy).status == 0)
    let again = try holdfast("backup", store.path, "--to", copy, "--json")
    #expect(again.status == 2)
    #expect(again.output.contains("alreadyThere"))
    #expect(try holdfast("restore", copy, "--to", store.path).status == 2)
    let restored = folder.appending(path: "restored")
    #expect(try holdfast("restore", copy, "--to", restored.path).status == 0)
    let drafts = try DraftController(storage: .folder(restored), user: "alice")
    #expect(try drafts.composer(in: "notes").content().text == "half a thought")
  }

  @Test func `doctor, stats, backup and restore take the folder of a relay that runs`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (data, copy) = (folder.appending(path: "relay"), folder.appending(path: "copy").path)
    let relay = try ChildProcess.holdfast(
      ["relay", "--quiet", "--data", data.path, "--account", "alice:a", "--exit-with-input"],
      program: Bundle.main.bundleURL.appending(path: "holdfast"))
    defer { relay.kill() }
    var events = relay.events.makeAsyncIterator()
    guard case .line(let line)? = await events.next(), let url = RelayAddress.parse(line) else {
      Issue.record("The relay does not run.")
      return
    }
    let alice = try await TestSocket(url: url, token: "a")
    try await alice.write(.hello(.init(after: nil)))
    try await alice.write(.eg("m", body: "hello"))
    while !(try await alice.read()).isReceipt(of: "m") {}

    let stats = try holdfast("stats", data.path)
    #expect(stats.output.contains("1 accounts, 1 conversations, 1 messages"), "\(stats.output)")
    let doctor = try holdfast("doctor", data.path)
    #expect(doctor.status == 0 && doctor.output.hasSuffix("whole\n"), "\(doctor.output)")
    #expect(try holdfast("doctor", "--compact", data.path).status == 64)
    #expect(try holdfast("backup", data.path, "--to", copy).status == 0)
    let busy = try holdfast("restore", copy, "--to", data.path)
    #expect(busy.status == 2 && busy.output.contains("Another server is running"), "\(busy.output)")
    let restored = folder.appending(path: "restored").path
    #expect(try holdfast("restore", copy, "--to", restored).status == 0)
    let json = try holdfast("doctor", restored, "--json")
    let findings = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(findings?["messages"] as? Int == 1)
    try alice.close()
  }

  @Test func `a store that cannot be opened gives the reason, and a wrong command line gives help`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let nowhere = try holdfast("doctor", store.path)
    #expect(nowhere.status == 2)
    #expect(nowhere.output.contains("There is no store in \(store.path)."))
    #expect(try holdfast("doctor").status == 64)
    #expect(try holdfast("doctor", store.path, "--user", "alice").status == 64)
    #expect(try holdfast("doctor", "--help").output.contains("holdfast doctor --name alice --json"))
  }
}

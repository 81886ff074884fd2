import CommandFixtures
import Foundation
import Processes
import Testing

@testable import HoldfastCommand

/// Relays as separate processes, on one folder.
@Suite(.timeLimit(.minutes(10))) struct RelayFolderTests {
  // H11, S3
  @Test func `a second relay on a folder ends and says what to do, and a killed relay leaves it free`()
    async throws
  {
    let scratch = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-relays-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let first = try relay("first", in: scratch)
    defer { first.kill() }
    #expect(await address(of: first) != nil)
    let before = try dates(in: scratch)

    let second = try relay("second", in: scratch)
    defer { second.kill() }
    guard case .ended(let ending)? = await nextEvent(of: second) else {
      Issue.record("The second relay runs.")
      return
    }
    #expect(ending == .exit(2))
    let errors = try String(contentsOf: scratch.appending(path: "second"), encoding: .utf8)
    #expect(
      errors.trimmingCharacters(in: .newlines)
        == "Error: \(data(in: scratch).path): Another server is running on this folder: "
        + "stop it first, or choose another folder."
    )
    #expect(try dates(in: scratch) == before)

    first.kill()
    guard case .ended(let killed)? = await nextEvent(of: first) else {
      Issue.record("The first relay was not killed.")
      return
    }
    #expect(killed == .signal(SIGKILL))
    let third = try relay("third", in: scratch)
    defer { third.kill() }
    #expect(await address(of: third) != nil)
  }

  // E3
  @Test(arguments: [("127.0.0.1", false), ("::1", false), ("0.0.0.0", true), ("::", true)])
  func `a relay that other machines can reach says that it has no TLS`(_ host: String, _ warns: Bool)
    async throws
  {
    let scratch = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-relays-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let relay = try relay("relay", in: scratch, "--host", host)
    defer { relay.kill() }
    #expect(await address(of: relay) != nil)
    let errors = try String(contentsOf: scratch.appending(path: "relay"), encoding: .utf8)
    #expect(errors.contains("has no TLS") == warns, "\(errors)")
  }

  private func data(in scratch: URL) -> URL { scratch.appending(path: "data", directoryHint: .isDirectory) }

  /// Starts a relay, which ends by itself with this process. Its errors go to the file `name`.
  private func relay(_ name: String, in scratch: URL, _ more: String...) throws -> ChildProcess {
    let errors = scratch.appending(path: name)
    try Data().write(to: errors)
    return try ChildProcess.holdfast(
      ["relay", "--data", data(in: scratch).path, "--account", "alice:secret", "--exit-with-input"] + more,
      program: Bundle.main.bundleURL.appending(path: "holdfast"),
      errors: try FileHandle(forWritingTo: errors))
  }

  /// The next line or the ending.
  private func nextEvent(of relay: ChildProcess) async -> ChildProcess.Event? {
    var events = relay.events.makeAsyncIterator()
    return await events.next()
  }

  /// The address that a relay prints first. Nil when it ends instead.
  private func address(of relay: ChildProcess) async -> URL? {
    guard case .line(let line)? = await nextEvent(of: relay) else { return nil }
    return RelayAddress.parse(line)
  }

  private func dates(in scratch: URL) throws -> [String: Date] {
    let folder = data(in: scratch)
    var dates: [String: Date] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      dates[name] = attributes[.modificationDate] as? Date
    }
    return dates
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

@Suite struct StorageLocationTests {
  // H6
  @Test(arguments: ["", ".", "..", "a/b", "/etc"])
  func `a store's name cannot lead out of the data folder`(name: String) {
    #expect { try StorageLocation.applicationSupport(name).resolve() } throws: {
      ($0 as? ChatError)?.code == .malformedID
    }
  }

  // H6.2
  @Test(arguments: [
    (["XDG_DATA_HOME": "/data/eg", "HOME": "/home/eg"], "/data/eg"),
    (["HOME": "/home/eg"], "/home/eg/.local/share"),
    (["XDG_DATA_HOME": "", "HOME": "/home/eg"], "/home/eg/.local/share"),
    (["XDG_DATA_HOME": "data/eg", "HOME": "/home/eg"], "/home/eg/.local/share"),
    (["XDG_DATA_HOME": "~/eg", "HOME": "/home/eg"], "/home/eg/.local/share"),
  ])
  func `on Linux the data folder is the one of the XDG specification`(
    variables: [String: String], expected: String
  ) throws {
    #expect(try StorageLocation.dataFolder(variables).path == expected)
  }

  // H6.1
  @Test func `on Apple's systems the data folder is Application Support, or else Documents`() throws {
    let folders: [FileManager.SearchPathDirectory: URL] = [
      .applicationSupportDirectory: URL(filePath: "/eg/Application Support"),
      .documentDirectory: URL(filePath: "/eg/Documents"), .cachesDirectory: URL(filePath: "/eg/Caches"),
    ]
    #expect(try StorageLocation.dataFolder { folders[$0] }.path == "/eg/Application Support")
    let documents = try StorageLocation.dataFolder { $0 == .applicationSupportDirectory ? nil : folders[$0] }
    #expect(documents.path == "/eg/Documents")
  }

  // H6.3
  @Test(arguments: [
    ["XDG_DATA_HOME": "/tmp/eg", "HOME": "/home/eg"],
    ["XDG_DATA_HOME": "/var/tmp", "HOME": "/home/eg"],
    ["XDG_DATA_HOME": "/home/../tmp/eg", "HOME": "/home/eg"],
    ["XDG_DATA_HOME": "/run/user/1000/eg", "HOME": "/home/eg"],
    ["XDG_DATA_HOME": "/scratch/eg", "HOME": "/home/eg", "TMPDIR": "/scratch/"],
  ])
  func `a temporary folder is passed over`(variables: [String: String]) throws {
    #expect(try StorageLocation.dataFolder(variables).path == "/home/eg/.local/share")
  }

  // H6.7
  @Test(arguments: [
    [:], ["XDG_DATA_HOME": "", "HOME": ""], ["XDG_DATA_HOME": "data", "HOME": "home"], ["HOME": "/tmp"],
    ["HOME": "/scratch/home", "TMPDIR": "/scratch"],
  ])
  func `without a persistent place there is an error that says what to do`(variables: [String: String]) {
    let expected = ChatError(
      .storageUnavailable, "This system has no persistent data folder. Name a folder instead.")
    #expect(throws: expected) { try StorageLocation.dataFolder(variables) }
    #expect(throws: expected) { try StorageLocation.dataFolder { _ in nil } }
  }

  // H6, P3
  @Test func `the store knows whether it is in the backup, and when it can be read`() throws {
    let bench = try Bench()
    let place = StorageLocation.folder(bench.scratch.url)
    func protection(_ storage: StorageLocation) throws -> StorageProtection {
      try ChatClient(storage: storage, transport: bench.transport, user: "alice").store.protection
    }
    #expect(try !protection(place).isExcludedFromBackup)
    #expect(try protection(place.excludedFromBackup()).isExcludedFromBackup)
    #expect(try protection(place).level == .untilFirstUnlock)
    #expect(try protection(place.protected(.complete)).level == .complete)
    #expect(try protection(place.protected(.complete).excludedFromBackup().shared()).isExcludedFromBackup)
  }

  // H6.5
  @Test func `the location is logged when the store is opened`() throws {
    let bench = try Bench()
    _ = try bench.client()
    #expect(bench.log.lines.contains { $0.contains(bench.scratch.url.lastPathComponent) })
  }

  @Test func `a folder of one's own is taken as it is`() throws {
    let url = URL(fileURLWithPath: "/eg/a/../b", isDirectory: true)
    #expect(try StorageLocation.folder(url).resolve().path == "/eg/b")
  }
}

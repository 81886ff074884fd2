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

  // H6, H6.3
  @Test func `a named store lies in the app's data folder, never in a temporary one`() throws {
    let folder = try StorageLocation.applicationSupport("egStore").resolve()
    #expect(folder.path.hasSuffix("/holdfast/egStore"))
    #expect(!folder.path.hasPrefix(FileManager.default.temporaryDirectory.path))
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

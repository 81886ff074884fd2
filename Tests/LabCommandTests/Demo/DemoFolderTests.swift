import CommandFixtures
import Foundation
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

@Suite struct DemoFolderTests {
  @Test func `the secrets are kept between runs, and only their owner can read them`() throws {
    try Self.withFolder { url in
      let first = try DemoFolder(at: url, accounts: ["Alice", "Bob"], isFresh: false)
      #expect(first.session.count == 64)
      #expect(Set(first.tokens.keys) == ["Alice", "Bob"])
      for name in ["session", "accounts"] {
        let file = url.appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
      }
    }
  }

  @Test func `a folder that runs a demo is refused`() throws {
    try Self.withFolder { url in
      _ = try DemoFolder(at: url, accounts: [], isFresh: false)
      #expect(throws: Complaint.self) { try DemoFolder(at: url, accounts: [], isFresh: true) }
    }
  }

  @Test func `a folder with other files is refused, and nothing in it is touched`() throws {
    try Self.withFolder { url in
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let other = url.appending(path: "thesis.txt")
      try Data("years of work".utf8).write(to: other)
      for isFresh in [true, false] {
        #expect(throws: Complaint.self) { try DemoFolder(at: url, accounts: [], isFresh: isFresh) }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["thesis.txt"])
    }
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "holdfast-\(UUID().uuidString)")
    defer { do { try FileManager.default.removeItem(at: url) } catch {} }
    try body(url)
  }
}

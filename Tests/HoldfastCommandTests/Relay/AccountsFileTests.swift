import ArgumentParser
import Foundation
import Holdfast
import Testing

@testable import HoldfastCommand

@Suite struct AccountsFileTests {
  private func read(_ text: String, mode: Int = 0o600) throws -> [AccountsFile.Account] {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "accounts-\(ChatEnvironment().makeID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    return try AccountsFile.read(file)
  }

  @Test func `one account a line, and the last colon separates`() throws {
    let accounts = try read("# Ours\nalice:t1\n\n  @bob:example.org:t2  \r\n")
    #expect(accounts == [.init(id: "alice", token: "t1"), .init(id: "@bob:example.org", token: "t2")])
  }

  @Test(arguments: [0o604, 0o640, 0o660, 0o777])
  func `a file that others may read is refused`(_ mode: Int) {
    #expect(throws: Complaint.self) { try read("alice:t1", mode: mode) }
  }

  @Test(arguments: ["alice", "alice:", ":t1", ":"])
  func `an invalid line is named by its number and not quoted`(_ line: String) throws {
    let error = try #require(throws: Complaint.self) { try read("bob:t2\n\(line)\n") }
    #expect(error.description.wholeMatch(of: /Line 2 of \S+ is not NAME:TOKEN\. Correct it\./) != nil)
  }

  @Test(
    arguments: [
      ("# A comment\nalice:t1\nbob:t2\nalice:t3", "Lines 2 and 4", "name"),
      ("alice:t1\n\nbob:t1", "Lines 1 and 3", "token"),
      ("alice:t1\nb\u{7}b:t2", "line 2", "control characters"),
    ])
  func `two lines with one name or one token are reported by their numbers, and not quoted`(
    _ text: String, _ lines: String, _ word: String
  ) throws {
    let error = try #require(throws: Complaint.self) { try read(text) }
    #expect(error.description.contains(lines) && error.description.contains(word), "\(error)")
    for content in ["alice", "bob:", ":t1"] { #expect(!error.description.contains(content)) }
  }

  @Test func `a file that is not there is refused`() {
    #expect(throws: Complaint.self) { try AccountsFile.read(URL(filePath: "/nowhere/accounts")) }
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastCredentials

@Suite struct FileCredentialsTests {
  private let scratch: ScratchFolder
  private var credentials: FileCredentials {
    FileCredentials(folder: scratch.url.appendingPathComponent("credentials"))
  }

  init() throws { scratch = try ScratchFolder() }

  // P5
  @Test func `a credential is kept for each account, replaced, and taken away`() throws {
    #expect(try credentials.credential(for: "alice") == nil)
    try credentials.set(nil, for: "alice")
    try credentials.set(Credential("one"), for: "alice")
    try credentials.set(Credential("two"), for: "../bob")
    try credentials.set(Credential("three"), for: "alice")
    #expect(try credentials.credential(for: "alice")?.text == "three")
    #expect(try credentials.credential(for: "../bob")?.text == "two")
    try credentials.set(nil, for: "alice")
    #expect(try credentials.credential(for: "alice") == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["credentials"])
  }

  // P5.2
  @Test func `only its owner can read it, and one that others can read is refused`() throws {
    try credentials.set(Credential("secret"), for: "alice")
    #expect(try scratch.mode(of: "credentials") == 0o700)
    let name = try #require(FolderContents(credentials.folder).names.first)
    #expect(try scratch.mode(of: "credentials/" + name) == 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: credentials.folder.appendingPathComponent(name).path)
    #expect(throws: ChatError.self) { try credentials.credential(for: "alice") }
  }

  // P5.4
  @Test func `a credential says nothing of itself where it is printed`() {
    let credential = Credential("secret")
    var dumped = ""
    dump(credential, to: &dumped)
    for text in ["\(credential)", String(reflecting: credential), dumped, "\([credential])"] {
      #expect(!text.contains("secret"))
      #expect(!text.contains("6 bytes"))
    }
  }
}

import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import HoldfastCore

/// The checksum that the engine computes itself on Linux, compared with the standard's examples and `sha256sum`.
@Suite struct SHA256Tests {
  // D16
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func `the examples of the standard have the sums of the standard`(text: String, sum: String) {
    #expect(SHA256Sum(of: Data(text.utf8)).text == sum)
  }

  // D16
  @Test func `bytes of any length in pieces of any size have the sum that sha256sum finds`() throws {
    let folder = try ScratchFolder(inMemory: true)
    var random = SeededRandom(seed: 34)
    var sums: [String: String] = [:]
    for (number, length) in (Array(0...300) + (0..<60).map { _ in Int(random.next() % 300_000) }).enumerated()
    {
      let bytes = Data((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      var (hasher, rest) = (SHA256Hasher(), bytes[...])
      while !rest.isEmpty {
        let count = Int(random.next() % 200) + 1
        // The indices of a slice of other bytes do not begin at 0.
        hasher.update(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(SHA256Sum(of: bytes).bytes == hasher.finish().bytes)
      try bytes.write(to: folder.url.appending(path: "\(number)"))
      sums["\(number)"] = hasher.finish().text
    }
    #expect(try Self.sums(of: sums.keys.sorted(), in: folder.url) == sums)
  }

  /// The checksums of files, computed by the system's own program.
  private static func sums(of names: [String], in folder: URL) throws -> [String: String] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    #if canImport(Darwin)
      process.arguments = ["shasum", "-a", "256"] + names
    #else
      process.arguments = ["sha256sum"] + names
    #endif
    process.currentDirectoryURL = folder
    process.standardOutput = output
    try process.run()
    let lines = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Dictionary(
      uniqueKeysWithValues: lines.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return (String(words[1]), String(words[0]))
      })
  }

  // P5
  @Test func `a sum equals itself and no other one`() {
    let sum = SHA256Sum(of: Data("token".utf8))
    #expect(sum.isEqualInConstantTime(to: Data(sum.bytes)))
    #expect(!sum.isEqualInConstantTime(to: Data(sum.bytes.dropLast())))
    for index in 0..<SHA256Sum.byteCount {
      var other = Data(sum.bytes)
      other[index] ^= 1
      #expect(!sum.isEqualInConstantTime(to: other))
    }
  }
}

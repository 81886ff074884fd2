import Foundation
import Testing

@testable import HoldfastCommand

@Suite(.timeLimit(.minutes(10))) struct LineReaderTests {
  @Test(arguments: [
    ("", []),
    ("one\n", ["one"]),
    ("one\n\nthree\n", ["one", "", "three"]),
    ("whole\nhalf", ["whole"]),
  ])
  func `lines are whole or not at all`(input: String, expected: [String]) throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    #expect(Self.lines(of: pipe) == expected)
  }

  @Test func `a line may be longer than what one read gives`() throws {
    let pipe = Pipe()
    let long = String(repeating: "x", count: 300_000)
    DispatchQueue.global().async {
      do {
        try pipe.fileHandleForWriting.write(contentsOf: Data("a\n\(long)\nb\n".utf8))
        try pipe.fileHandleForWriting.close()
      } catch {}
    }
    #expect(Self.lines(of: pipe) == ["a", long, "b"])
  }

  private static func lines(of pipe: Pipe) -> [String] {
    LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

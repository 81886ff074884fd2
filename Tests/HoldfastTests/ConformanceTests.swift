import Foundation
import Testing

/// `docs/conformance.md` names tests. It must not name one that is not there, nor leave out a rule.
@Suite struct ConformanceTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func page() throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent("docs/conformance.md"), encoding: .utf8)
  }

  /// The sources of all tests, in Swift and in Python.
  private func tests() throws -> String {
    let folder = Self.root.appendingPathComponent("Tests")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".py") }
    return try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
      .joined(separator: "\n")
  }

  @Test func `every test that the page names exists`() throws {
    let tests = try tests()
    let page = try page()
    let sentences = page.matches(of: /\*`([^`]+)`\*/).map { String($0.1) }
    let functions = page.matches(of: /`(test_[a-z_]+)`/).map { String($0.1) }
    #expect(sentences.count > 50)
    #expect(functions.count > 5)
    for sentence in sentences {
      #expect(tests.contains("func `\(sentence)`"), "no test is named '\(sentence)'")
    }
    for function in functions {
      #expect(tests.contains("def \(function)("), "no browser test is named \(function)")
    }
  }

  @Test func `the page has every rule once, and a proof for each that is said to be whole`() throws {
    let rules = ["D": 18, "O": 17, "N": 3, "H": 11, "R": 9, "P": 5, "S": 10]
    let lines = try page().split(separator: "\n")
    for (letter, count) in rules {
      for number in 1...count {
        let rows = lines.filter { $0.hasPrefix("| \(letter)\(number) |") }
        #expect(rows.count == 1, "\(letter)\(number)")
        guard let row = rows.first, row.contains("●") else { continue }
        let hasProof = row.contains("`") || row.contains("imulated worlds")
        #expect(hasProof, "\(letter)\(number) is said to be whole, without a proof")
      }
    }
  }
}

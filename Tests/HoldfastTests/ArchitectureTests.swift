import Foundation
import Testing

/// The order of the targets: each imports only those below it. The compiler enforces Package.swift; this test
/// checks that Package.swift has this order.
@Suite struct ArchitectureTests {
  /// From below upwards. A target may import those of the rows below its own.
  private static let rows = [
    ["HoldfastCore"],
    ["HoldfastStore", "HoldfastRelay", "HoldfastNetwork"],
    ["Holdfast", "HoldfastWebSocket", "ChatServer"],
    ["HoldfastRescue"],
    ["HoldfastTesting"],
    ["HoldfastCommand"],
  ]

  /// The targets of this package that each target's sources import.
  private func imports() throws -> [String: Set<String>] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = root.appendingPathComponent("Sources")
    let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path)
    var imports = Dictionary(uniqueKeysWithValues: targets.map { ($0, Set<String>()) })
    for target in targets {
      let folder = sources.appendingPathComponent(target)
      for name in FileManager.default.subpaths(atPath: folder.path) ?? [] where name.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        for line in text.split(separator: "\n") {
          let words = line.split(separator: " ")
          guard let word = words.firstIndex(of: "import"), word + 1 < words.endIndex else { continue }
          let module = String(words[word + 1])
          if targets.contains(module) { imports[target]?.insert(module) }
        }
      }
    }
    return imports
  }

  @Test func `every target imports only what is below it`() throws {
    let imports = try imports()
    #expect(Set(imports.keys) == Set(Self.rows.joined()), "The drawing has other targets than Sources.")
    for (level, row) in Self.rows.enumerated().reversed() {
      let below = Set(Self.rows[..<level].joined())
      for target in row {
        let imported = (imports[target] ?? []).sorted()
        print("\(target) -> \(imported.isEmpty ? "nothing" : imported.joined(separator: ", "))")
        let wrong = imported.filter { !below.contains($0) }
        #expect(wrong.isEmpty, "\(target) imports \(wrong.joined(separator: ", ")), which is not below it.")
      }
    }
  }
}

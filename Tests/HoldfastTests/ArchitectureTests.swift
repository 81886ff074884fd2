import Foundation
import Testing

/// The order of the targets: each imports only those below it. The compiler enforces Package.swift. This test checks
/// the order in Package.swift.
@Suite struct ArchitectureTests {
  /// The order, from the bottom upwards. A target may import those of the rows below its own.
  private static let rows = [
    ["CSHA256"],
    ["HoldfastCore"],
    ["HoldfastTransport", "HoldfastNetwork", "HoldfastHTTP"],
    ["HoldfastStore", "HoldfastRelay", "HoldfastCompletions", "HoldfastMatrix"],
    ["Holdfast", "HoldfastCredentials", "HoldfastWebSocket", "HoldfastFirestore", "ChatServer"],
    ["HoldfastRescue", "HoldfastAssistant", "HoldfastPresenters"],
    ["HoldfastTesting", "HoldfastSwiftUI"],
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

  /// The folders of a target. Each has the folders whose types its sources name.
  private func arrows(in target: URL) throws -> [String: Set<String>] {
    let declaration =
      /^(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|final|nonisolated) +)*(?:class|struct|enum|protocol|actor|typealias) +(\w+)/
      .anchorsMatchLineEndings()
    var (sources, owners): ([String: String], [String: Set<String>]) = ([:], [:])
    for name in FileManager.default.subpaths(atPath: target.path) ?? [] where name.hasSuffix(".swift") {
      let folder = (name as NSString).deletingLastPathComponent
      let text = try String(contentsOf: target.appendingPathComponent(name), encoding: .utf8)
        .replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"").replacing(/\/\/[^\n]*/, with: "")
      sources[folder, default: ""] += text
      for match in text.matches(of: declaration) { owners[String(match.1), default: []].insert(folder) }
    }
    return sources.mapValues { text in
      Set(text.matches(of: /\b[A-Z]\w+/).flatMap { owners[String($0.0)] ?? [] })
    }.reduce(into: [:]) { arrows, entry in arrows[entry.key] = entry.value.subtracting([entry.key]) }
  }

  @Test(arguments: rows.joined()) func `the folders of a target name each other in no circle`(
    _ target: String
  )
    throws
  {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    var arrows = try arrows(in: sources.appendingPathComponent(target))
    for (folder, others) in arrows.sorted(by: { $0.key < $1.key }) {
      let names = others.isEmpty ? "nothing" : others.sorted().joined(separator: ", ")
      print("\(target)/\(folder) -> \(names)")
    }
    if target == "Holdfast" {
      #expect(arrows["Engine"]?.contains("Engine/Outbox") == true, "The types were not found.")
    }
    // A folder that names no other is at the bottom, and is removed. A cycle has no bottom.
    while let bottom = arrows.first(where: { $0.value.isEmpty })?.key {
      arrows[bottom] = nil
      for folder in arrows.keys { arrows[folder]?.remove(bottom) }
    }
    #expect(
      arrows.isEmpty, "These folders are in a circle, or above one: \(arrows.keys.sorted())")
  }
}

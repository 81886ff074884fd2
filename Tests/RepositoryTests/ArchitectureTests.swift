import Foundation
import Testing

/// The order of the targets: each imports only those below it. The compiler enforces Package.swift. This test checks
/// the order in Package.swift.
@Suite struct ArchitectureTests {
  /// The order, from the bottom upwards. A target may import those of the rows below its own.
  private static let rows = [
    ["CSHA256", "CMarkGFM"],
    ["HoldfastCore"],
    ["HoldfastTransport", "HoldfastNetwork", "HoldfastHTTP"],
    ["HoldfastStore", "HoldfastRelay", "HoldfastCompletions", "HoldfastMatrix"],
    ["Holdfast", "HoldfastCredentials", "HoldfastWebSocket", "HoldfastFirestore", "ChatServer"],
    ["HoldfastRescue", "HoldfastAssistant", "HoldfastPresenters"],
    ["HoldfastTesting", "HoldfastSwiftUI", "HoldfastCommand"],
    ["ChatServerTesting", "HoldfastProgram", "Processes"],
    ["Simulator"],
    ["holdfast_lab", "Backends", "Benchmarks"],
  ]

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of each target's sources: what ships, and what proves it.
  private static func folders() throws -> [String: URL] {
    let sources = root.appendingPathComponent("Sources")
    var folders = [String: URL]()
    for target in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      folders[target] = sources.appendingPathComponent(target)
    }
    let lab = root.appendingPathComponent("Lab")
    for name in try FileManager.default.contentsOfDirectory(atPath: lab.path) {
      folders[name == "Command" ? "holdfast_lab" : name] = lab.appendingPathComponent(name)
    }
    return folders
  }

  /// The targets of this package that each target's sources import.
  private func imports() throws -> [String: Set<String>] {
    let folders = try Self.folders()
    var imports = folders.mapValues { _ in Set<String>() }
    for (target, folder) in folders {
      for name in FileManager.default.subpaths(atPath: folder.path) ?? [] where name.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        for line in text.split(separator: "\n") {
          let words = line.split(separator: " ")
          guard let word = words.firstIndex(of: "import"), word + 1 < words.endIndex else { continue }
          let module = String(words[word + 1])
          if folders[module] != nil { imports[target]?.insert(module) }
        }
      }
    }
    return imports
  }

  @Test func `every target imports only what is below it`() throws {
    let imports = try imports()
    #expect(
      Set(imports.keys) == Set(Self.rows.joined()), "The drawing has other targets than Sources and Lab.")
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
    var arrows = try arrows(in: try #require(try Self.folders()[target]))
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

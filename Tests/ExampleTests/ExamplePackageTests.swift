import Foundation
import Testing

/// An example is a package of its own, and a target of this package for the tests. Both list the same libraries.
@Suite struct ExamplePackageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// The libraries of each example, according to the package's own manifest.
  private func targets() throws -> [String: Set<String>] {
    let named = [
      "argumentParser": ["ArgumentParser"], "flyingFox": ["FlyingFox"],
      "webSocketClient": ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"],
      "service": ["Logging", "Metrics", "ServiceLifecycle"],
    ]
    let lines = try text("Package.swift").matches(of: /example\(\s*"(\w+)",\s*(\[[^)]+)\)/)
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let words = line.2.matches(of: /\w+/).map { String($0.0) }
        return (String(line.1), Set(words.flatMap { named[$0] ?? [$0] }))
      })
  }

  @Test func `each example is a package with the libraries that its target has`() throws {
    let targets = try targets()
    let examples = Self.root.appending(path: "examples")
    let folders = try FileManager.default.contentsOfDirectory(atPath: examples.path)
    // An app with tests is not a program, and `scripts/examples.sh` runs them.
    let programs = folders.filter { folder in
      !folder.contains(".")
        && !FileManager.default.fileExists(atPath: examples.appending(path: "\(folder)/Tests").path)
    }
    #expect(Set(programs) == Set(targets.keys))
    for (name, libraries) in targets {
      let products = try text("examples/\(name)/Package.swift").matches(of: /\.product\(name: "(\w+)"/)
      #expect(Set(products.map { String($0.1) }) == libraries, "\(name)")
    }
  }
}

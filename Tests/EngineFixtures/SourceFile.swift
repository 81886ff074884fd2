import Foundation
import Testing

/// One Swift file of this repository, for a test that reads the code.
package struct SourceFile {
  /// The path from the repository's root.
  package var path: String
  package var text: String
  package var lines: [String]
  package var name: String { URL(fileURLWithPath: path).lastPathComponent }

  /// Every Swift file below a folder of the root, ordered by path.
  package static func all(in place: String) throws -> [SourceFile] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appendingPathComponent(place)
    let names = try #require(FileManager.default.subpaths(atPath: folder.path))
    return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return SourceFile(path: place + "/" + name, text: text, lines: text.components(separatedBy: "\n"))
    }
  }

  /// The source file that declares a type, in any folder. Files are named after types.
  package static func declaring(_ type: String) throws -> SourceFile {
    let files = try all(in: "Sources").filter { $0.name == type + ".swift" }
    try #require(files.count == 1, "\(files.count) files of the sources are named \(type).swift")
    return files[0]
  }
}

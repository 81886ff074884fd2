import Foundation

/// The files in a folder that this process has open, and its locks on them, as the kernel lists them.
package struct HeldFiles {
  package let folder: URL

  package init(folder: URL) { self.folder = folder }

  /// The names of the open files in the folder. A name is repeated for each time that its file is open.
  package var names: [String] { get throws { try open().map(\.name) } }

  /// The locks of flock(2) and of SQLite, with their kind and range.
  package var locks: [String] { get throws { try locks { _ in true } } }

  package func locks(on name: String) throws -> Set<String> { Set(try locks { $0 == name }) }

  private func locks(_ isWanted: (String) -> Bool) throws -> [String] {
    try open().filter { isWanted($0.name) }.flatMap { file -> [String] in
      let lines = try? String(contentsOfFile: "/proc/self/fdinfo/" + file.descriptor, encoding: .utf8)
      return (lines ?? "").split(separator: "\n").filter { $0.hasPrefix("lock:") }.map(String.init)
    }
  }

  private func open() throws -> [(descriptor: String, name: String)] {
    let files = FileManager.default
    let place = folder.resolvingSymlinksInPath().path + "/"
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
      guard let file = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor),
        file.hasPrefix(place)
      else { return nil }
      return (descriptor, String(file.dropFirst(place.count)))
    }
  }
}

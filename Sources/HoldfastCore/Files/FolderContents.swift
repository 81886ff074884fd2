import Foundation

/// The files of a store at one moment.
package struct FolderContents {
  private let folder: URL
  package let names: [String]

  package init(_ folder: URL) {
    self.folder = folder
    names = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted()
  }

  package func byteCount(_ name: String) -> Int64 {
    (try? FileStatus(of: folder.appendingPathComponent(name)).byteCount) ?? 0
  }

  package func byteCount(under prefix: String) -> Int64 {
    names.filter { $0.hasPrefix(prefix) }.reduce(0) { $0 + byteCount($1) }
  }

  /// The permissions of the folder itself, and of its contents, that let other users in, by name and in octal.
  /// Private entries are left out.
  package var openPermissions: [String: String] {
    var open: [String: String] = [:]
    for name in ["."] + names {
      guard let status = try? FileStatus(of: folder.appendingPathComponent(name)),
        status.permissions & 0o077 != 0
      else { continue }
      open[name] = "0" + String(status.permissions, radix: 8)
    }
    return open
  }
}

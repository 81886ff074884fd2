import Foundation

/// Where the files that are measured lie: a real disk, or the syncs cost nothing and the figures say nothing.
struct WorkFolder {
  let url: URL
  let fileSystem: String

  /// Makes a folder of its own inside `parent`; nil is the current folder.
  init(in parent: String?) throws {
    let place = URL(fileURLWithPath: parent ?? FileManager.default.currentDirectoryPath)
    // Named like a build folder, so that one that an interrupt left behind is ignored by git.
    url = place.appendingPathComponent(".build-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    fileSystem = Self.fileSystem(of: url)
    guard !["tmpfs", "ramfs"].contains(fileSystem) else {
      remove()
      throw BenchmarkFailure("\(place.path) is in memory. Choose a folder on a disk with --folder.")
    }
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  /// The type of the file system with the longest mount point that leads to `url`.
  private static func fileSystem(of url: URL) -> String {
    let path = url.resolvingSymlinksInPath().path + "/"
    guard let mounts = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else {
      return "an unknown file system"
    }
    let types = mounts.split(separator: "\n").compactMap { line -> (point: String, type: String)? in
      let fields = line.split(separator: " ")
      guard fields.count > 2 else { return nil }
      let point = fields[1] == "/" ? "/" : fields[1] + "/"
      return path.hasPrefix(point) ? (point, String(fields[2])) : nil
    }
    return types.max { $0.point.count < $1.point.count }?.type ?? "an unknown file system"
  }
}

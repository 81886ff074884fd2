#if os(Linux)
  import Foundation
  import Testing

  /// A store whose files processes cannot read while the device is locked, as on iOS. The processes have a preloaded
  /// library that refuses the files' bytes with `EPERM`. This process does not, and can always read the files.
  struct LockableStore: Sendable {
    let folder: URL
    private let library: PreloadedLibrary
    private let flag: URL

    /// - Parameters:
    ///   - folder: the folder of the store, which may not exist yet.
    ///   - scratch: a folder for the library and the state of the device.
    init(_ folder: URL, scratch: URL) throws {
      self.folder = folder
      library = try PreloadedLibrary.compile("protected_files", in: scratch)
      flag = scratch.appending(path: "device-is-locked")
    }

    var isLocked: Bool { FileManager.default.fileExists(atPath: flag.path) }

    func lock() throws { try Data().write(to: flag) }
    func unlock() throws { if isLocked { try FileManager.default.removeItem(at: flag) } }

    /// The environment of a process on the device.
    ///
    /// - Parameter calls: the number of calls for files of the store after which the process itself locks the device.
    ///   Nil when it does not.
    func environment(lockingAfter calls: Int? = nil) -> [String: String] {
      var environment = [
        "LD_PRELOAD": library.file.path, "PROTECTED_FOLDER": folder.path, "PROTECTED_WHILE": flag.path,
      ]
      environment["PROTECTED_AFTER"] = calls.map(String.init)
      return environment
    }

    /// Runs a program of the package to its end.
    func run(
      _ program: String, _ arguments: [String], lockingAfter calls: Int? = nil
    ) throws -> (status: Int32, output: String) {
      try Process.run(
        Bundle.main.bundleURL.appending(path: program), arguments, environment(lockingAfter: calls))
    }

    /// The bytes of all files, by their names.
    func contents() throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        let file = folder.appending(path: name)
        guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
        contents[name] = try Data(contentsOf: file)
      }
      return contents
    }

    /// The bytes of the files that have the user's contents. SQLite's index of the journal has none, and an empty
    /// journal is equivalent to a missing one.
    func userContents() throws -> [String: Data] {
      try contents().filter { !$0.key.hasSuffix("-shm") && !$0.value.isEmpty }
    }

    /// Replaces the files by copies of those of another store.
    func copy(_ other: URL) throws {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: other, to: folder)
    }
  }
#endif

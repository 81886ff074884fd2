#if os(Linux)
  import Foundation
  import Testing

  /// A library between a process and the system's functions for files (`Tests/Preloaded`).
  struct PreloadedLibrary: Sendable {
    let file: URL

    /// Compiles the library into a folder.
    static func compile(_ name: String, in scratch: URL) throws -> PreloadedLibrary {
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      let source = tests.appending(path: "Preloaded/\(name).c")
      let file = scratch.appending(path: "\(name).so")
      let compiler = try Process.run(
        URL(filePath: "/usr/bin/env"),
        ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", file.path, source.path, "-ldl"],
        ProcessInfo.processInfo.environment)
      try #require(compiler.status == 0, "\(compiler.output)")
      return PreloadedLibrary(file: file)
    }
  }

  extension Process {
    /// Runs a program to its end, without input. Standard output and standard error are returned together.
    static func run(
      _ program: URL, _ arguments: [String], _ environment: [String: String]
    ) throws -> (status: Int32, output: String) {
      let (process, output) = (Process(), Pipe())
      process.executableURL = program
      process.arguments = arguments
      process.environment = environment.underSanitizer
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
  }
#endif

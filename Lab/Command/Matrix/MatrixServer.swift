import Foundation
import HoldfastCommand
import HoldfastHTTP
import Processes

/// Synapse, a Matrix homeserver, as a separate process.
enum MatrixServer {
  /// The administrator's account.
  static let administrator = "admin"

  /// Starts the server on a folder. Its first line is HOST:PORT, once it answers. It ends with its input.
  ///
  /// - Parameters:
  ///   - port: the port on 127.0.0.1. 0 chooses a free one.
  ///   - users: the accounts that exist from the start, each with its name as its password.
  static func start(in folder: URL, port: Int, users: [String] = []) throws -> ChildProcess {
    let arguments =
      [try script().path, folder.path, "--port", String(port), "--admin", administrator]
      + users.flatMap { ["--user", $0] }
    return try ChildProcess(
      executable: try python(), arguments: arguments, environment: ProcessInfo.processInfo.environment)
  }

  /// The Python that has Synapse: from `HOLDFAST_MATRIX_PYTHON`, or from `scripts/matrix.sh`.
  static func python() throws -> URL {
    let named = ProcessInfo.processInfo.environment["HOLDFAST_MATRIX_PYTHON"]
    let place = named.map { URL(filePath: $0) } ?? root.appending(path: ".build-matrix/bin/python")
    guard FileManager.default.isExecutableFile(atPath: place.path) else {
      throw Complaint(.failed, "Synapse is needed. Install it with: scripts/matrix.sh")
    }
    return place
  }

  private static func script() throws -> URL {
    let script = root.appending(path: "scripts/matrix_server.py")
    guard FileManager.default.fileExists(atPath: script.path) else {
      throw Complaint(
        .failed, "\(script.path) is missing: run this in the repository that built it.")
    }
    return script
  }

  /// The repository of this build.
  private static var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
  }
}

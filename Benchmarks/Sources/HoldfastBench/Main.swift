import Foundation
import Holdfast

/// Measures the engine beside raw SQLite in C doing the same statements with the same durability, in the same
/// run and on the same disk.
///
///     holdfast-bench [--count N] [--json] [--folder DIR]
///     holdfast-bench syncs send|draft COUNT      only that, for strace; see syncs.sh
@main struct Bench {
  @MainActor static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      let folder = arguments.folder.appendingPathComponent("holdfast-bench-\(getpid())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      if let syncs = arguments.syncs {
        try Syncs(intent: syncs.intent, count: syncs.count).run(in: folder)
      } else {
        let results = try await Intents(folder: folder, count: arguments.count).run()
        print(
          arguments.json
            ? try Table.json(results) : Table.text(results, count: arguments.count, on: folder))
      }
    } catch {
      FileHandle.standardError.write(Data("holdfast-bench: \(error)\n".utf8))
      exit(1)
    }
  }
}

struct Arguments {
  enum Intent: String { case send, draft }
  struct Misuse: Error, CustomStringConvertible {
    var description: String
  }

  var count = 2000
  var json = false
  var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
  var syncs: (intent: Intent, count: Int)?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)
    while !rest.isEmpty {
      let argument = rest.removeFirst()
      func value() throws -> String {
        guard !rest.isEmpty else { throw Misuse(description: "\(argument) needs a value") }
        return rest.removeFirst()
      }
      switch argument {
      case "--count": count = try Self.positive(value())
      case "--json": json = true
      case "--folder": folder = URL(fileURLWithPath: try value(), isDirectory: true)
      case "syncs":
        guard let intent = Intent(rawValue: try value()) else {
          throw Misuse(description: "syncs takes send or draft, and a count")
        }
        syncs = (intent, Int(try value()) ?? 0)
      default: throw Misuse(description: "\(argument) is no option; see the head of Main.swift")
      }
    }
  }

  private static func positive(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else {
      throw Misuse(description: "'\(text)' is no count")
    }
    return number
  }
}

/// A backend that is never there: the intents that are measured do not need one.
struct NoBackend: Transport {
  var guarantees: TransportGuarantees { TransportGuarantees() }

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    throw LinkFailure(.unreachable)
  }
}

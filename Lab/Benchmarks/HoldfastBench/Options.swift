import Foundation

/// What was asked for on the command line.
struct Options {
  enum Task {
    case help
    /// All that is named; everything when nothing is.
    case measure([any Benchmark.Type], [any Trial.Type])
    case countSyncs(of: String, count: Int)
    /// Compares the statements of engine and C, and measures nothing.
    case compareStatements
    /// Draws what an earlier run printed with --json.
    case draw(Picture, from: URL, to: URL)
  }

  enum Picture: String {
    case cost, screen
  }

  var samples: Int?
  var folder: String?
  var wantsJSON = false
  private var words: [String] = []
  private var wantsHelp = false
  private var files: [String: URL] = [:]

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": wantsJSON = true
      case "--help", "-h": wantsHelp = true
      case "--folder": folder = try Self.value(of: argument, &rest)
      case "--from", "--to", "--keep":
        files[argument] = URL(fileURLWithPath: try Self.value(of: argument, &rest))
      case "--samples": samples = try Self.number(try Self.value(of: argument, &rest))
      case _ where argument.hasPrefix("-"): throw BenchmarkFailure("There is no option \(argument).")
      default: words.append(argument)
      }
    }
  }

  /// Where the JSON goes besides what is printed. Nil: nowhere.
  var keep: URL? { files["--keep"] }

  @MainActor func task() throws -> Task {
    if wantsHelp { return .help }
    switch words.first {
    case "syncs":
      guard words.count == 3 else { throw BenchmarkFailure("Say: syncs send|draft COUNT") }
      return .countSyncs(of: words[1], count: try Self.number(words[2], from: 0))
    case "statements":
      guard words.count == 1 else { throw BenchmarkFailure("Say: statements") }
      return .compareStatements
    case "picture":
      guard words.count == 2, let picture = Picture(rawValue: words[1]), let from = files["--from"],
        let to = files["--to"]
      else {
        throw BenchmarkFailure("Say: picture cost|screen --from RESULTS.json --to PICTURE.svg")
      }
      return .draw(picture, from: from, to: to)
    default:
      let (benchmarks, trials) = try named()
      return .measure(benchmarks, trials)
    }
  }

  @MainActor private func named() throws -> ([any Benchmark.Type], [any Trial.Type]) {
    guard !words.isEmpty else { return (allBenchmarks, allTrials) }
    let names = allBenchmarks.map { $0.name } + (allTrials + namedTrials).map { $0.name }
    if let unknown = words.first(where: { !names.contains($0) }) {
      let known = names.map { "'\($0)'" }.joined(separator: ", ")
      throw BenchmarkFailure("There is no benchmark '\(unknown)', only \(known).")
    }
    return (
      allBenchmarks.filter { words.contains($0.name) },
      (allTrials + namedTrials).filter { words.contains($0.name) }
    )
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value.") }
    return value
  }

  private static func number(_ text: String, from minimum: Int = 1) throws -> Int {
    guard let number = Int(text), number >= minimum else {
      throw BenchmarkFailure("'\(text)' is not a number from \(minimum).")
    }
    return number
  }
}

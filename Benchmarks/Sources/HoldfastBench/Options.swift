/// What was asked for on the command line.
struct Options {
  var words: [String] = []
  var samples: Int?
  var folder: String?
  var wantsJSON = false
  var wantsHelp = false

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": wantsJSON = true
      case "--help", "-h": wantsHelp = true
      case "--folder": folder = try Self.value(of: argument, &rest)
      case "--samples": samples = try Self.number(try Self.value(of: argument, &rest))
      case _ where argument.hasPrefix("-"): throw BenchmarkFailure("There is no option \(argument).")
      default: words.append(argument)
      }
    }
  }

  /// Those that are named; all when none is.
  @MainActor func benchmarks() throws -> [any Benchmark.Type] {
    guard !words.isEmpty else { return allBenchmarks }
    return try words.map { word in
      guard let benchmark = allBenchmarks.first(where: { $0.name == word }) else {
        let names = allBenchmarks.map { "'\($0.name)'" }.joined(separator: ", ")
        throw BenchmarkFailure("There is no benchmark '\(word)', only \(names).")
      }
      return benchmark
    }
  }

  /// The intent whose syncs are to be counted, and how often it is done. Nil when that was not asked for.
  func syncs() throws -> (intent: String, count: Int)? {
    guard words.first == "syncs" else { return nil }
    guard words.count == 3 else { throw BenchmarkFailure("Say: syncs send|draft COUNT") }
    return (words[1], try Self.number(words[2], from: 0))
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

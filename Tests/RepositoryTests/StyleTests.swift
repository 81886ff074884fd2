import EngineFixtures
import Foundation
import Testing

/// Reads the repository and checks its style. A failure names the replacement.
@Suite struct StyleTests {
  /// A forbidden word, the files that may contain it, and its replacement.
  private struct Rule {
    var word: String
    var allowed: [String] = []
    var instead: String
  }

  private static let clock = "ChatEnvironment.swift"

  private static let rules = [
    Rule(word: "Date()", allowed: [clock], instead: "environment.now()"),
    Rule(word: "Date.now", allowed: [clock], instead: "environment.now()"),
    Rule(word: "ContinuousClock()", allowed: [clock], instead: "environment.uptime()"),
    Rule(word: "UUID()", allowed: [clock, "World.swift"], instead: "environment.makeID()"),
    Rule(word: "Double.random(", allowed: [clock], instead: "environment.random()"),
    Rule(word: ".randomElement(", instead: "environment.random()"),
    Rule(word: ".shuffled(", instead: "environment.random()"),
    Rule(word: "Task.sleep", allowed: [clock], instead: "environment.sleep(until)"),
    Rule(
      word: " Task {", allowed: ["FirestoreCall.swift"], instead: "a child task of run(): group.addTask"),
    Rule(word: "Task.detached", instead: "a child task of run(): group.addTask"),
    Rule(word: " Task(", allowed: ["SeededScheduler.swift"], instead: "a child task of run(): group.addTask"),
    Rule(word: "try!", instead: "try, or a guard that says what is wrong"),
    Rule(word: "fatalError(", allowed: ["ConformanceRun.swift"], instead: "a ChatError"),
    Rule(word: "static let shared", instead: "a value that is handed in"),
    Rule(word: "TODO", instead: "an issue, or the work itself"),
    Rule(word: "FIXME", instead: "an issue, or the work itself"),
    Rule(word: "XXX", instead: "an issue, or the work itself"),
  ]

  private let sources: [SourceFile]
  private let tests: [SourceFile]

  init() throws {
    // A benchmark measures with the real clock, and a real server is a process.
    sources = try (SourceFile.all(in: "Sources") + SourceFile.all(in: "Lab"))
      .filter { !$0.path.contains("Lab/Benchmarks/") && !$0.path.contains("Lab/Backends/") }
    // The words that are out of place are in this file.
    tests = try SourceFile.all(in: "Tests").filter { $0.name != "StyleTests.swift" }
    try #require(sources.contains { $0.name == Self.clock })
  }

  /// The sources in a folder. A folder that has moved is a failure. Otherwise a rule would silently find nothing.
  private func files(below folder: String) throws -> [SourceFile] {
    let files = sources.filter { $0.path.hasPrefix(folder) }
    try #require(!files.isEmpty, "\(folder) has no Swift files")
    return files
  }

  /// The code of the line. A comment may name a forbidden word.
  private func code(_ line: String) -> Substring {
    line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line[...]
  }

  @Test func `clocks, IDs and randomness are handed in, no code traps, and no work is left`() {
    for file in sources {
      for rule in Self.rules where !rule.allowed.contains(file.name) {
        // Words for unfinished work occur in comments.
        let isAboutComments = rule.word.allSatisfy(\.isUppercase)
        for (number, line) in file.lines.enumerated() {
          let place = isAboutComments ? line[...] : code(line)
          #expect(
            !place.contains(rule.word), "\(file.path):\(number + 1) has \(rule.word): use \(rule.instead)")
        }
      }
    }
  }

  @Test func `a test waits for an event, and never for a while`() {
    for file in tests {
      for (number, line) in file.lines.enumerated() {
        #expect(
          !code(line).contains("Task.sleep"),
          "\(file.path):\(number + 1) sleeps: await what happens, or use the clock of the bench")
      }
    }
  }

  @Test func `a test of the engine goes through the front sharedState, and has no SQL`() {
    let statement = /\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|(ALTER|CREATE) TABLE|PRAGMA)\s/
    let mayHave = [
      "Tests/HoldfastStoreTests/", "Tests/HoldfastRescueTests/Backup/", "Tests/HoldfastRescueTests/Salvage/",
      "Tests/EngineFixtures/StoreSurgery.swift",
    ]
    let files = tests.filter {
      $0.path.hasPrefix("Tests/Holdfast") || $0.path.hasPrefix("Tests/EngineFixtures/")
    }
    #expect(files.count > 100)
    for file in files where !mayHave.contains(where: file.path.hasPrefix) {
      for (number, line) in file.lines.enumerated() {
        #expect(
          !code(line).contains(statement),
          "\(file.path):\(number + 1) has SQL: use a function of the engine, or one of StoreSurgery.swift")
      }
    }
  }

  @Test func `dice are drawn from a generator that is handed in`() {
    for file in sources where file.name != Self.clock {
      for (number, line) in file.lines.enumerated() {
        let code = code(line)
        guard code.contains(".random("), !code.contains("environment.random()") else { continue }
        #expect(
          code.contains("using: &"),
          "\(file.path):\(number + 1) rolls dice of its own: use environment.random()")
      }
    }
  }

  @Test func `a claim of safety has its reason right above`() {
    for file in sources {
      for (number, line) in file.lines.enumerated() where code(line).contains("@unchecked Sendable") {
        let above = number > 0 ? file.lines[number - 1].trimmingCharacters(in: .whitespaces) : ""
        #expect(
          above.hasPrefix("//"),
          "\(file.path):\(number + 1) has @unchecked Sendable without a comment above it that says why")
      }
    }
  }

  @Test func `a part of the engine stays on its client's executor`() throws {
    let leaving =
      /\b(withTaskGroup|withThrowingTaskGroup|with(Throwing)?DiscardingTaskGroup|withTaskCancellationHandler)\b/
    // The task groups of the actor itself run on its executor.
    let parts = try files(below: "Sources/Holdfast/Engine/").filter { file in
      file.name != "ChatClient.swift" && file.lines.contains { code($0).contains("nonisolated(nonsending)") }
    }
    #expect(parts.count > 5)
    for file in parts {
      for (number, line) in file.lines.enumerated() {
        #expect(
          code(line).firstMatch(of: leaving) == nil,
          "\(file.path):\(number + 1) leaves the client's executor: use a function of CallersExecutor.swift")
      }
    }
  }

  @Test func `only the store and the server know the database`() {
    let mayKnow = ["Sources/HoldfastStore/", "Sources/ChatServer/"]
    for file in sources where !mayKnow.contains(where: file.path.hasPrefix) {
      for (number, line) in file.lines.enumerated() {
        #expect(
          !code(line).contains("import GRDB"),
          "\(file.path):\(number + 1) imports GRDB: use a function of HoldfastStore")
      }
    }
  }

  @Test func `the store reads columns by name`() throws {
    let position = /(\b[rR]ow|\$[0-9]|\))[?!]?\[[0-9]/
    for file in try files(below: "Sources/HoldfastStore/") {
      for (number, line) in file.lines.enumerated() where line.contains("[") {
        // The counts of a metric have numbers as keys.
        let isCount = line.contains("counts(of:")
        #expect(
          isCount || !code(line).contains(position),
          "\(file.path):\(number + 1) reads a column by position: use an enum that is a QueryColumn")
      }
    }
  }

  @Test func `only the store extends its readings and transactions`() {
    let extended = /\bextension (Reading|Transaction|Database)\b/
    for file in sources where !file.path.hasPrefix("Sources/HoldfastStore/") {
      for (number, line) in file.lines.enumerated() where line.contains("extension ") {
        #expect(
          !code(line).contains(extended),
          "\(file.path):\(number + 1) extends the store: put the function into the folder of its table there")
      }
    }
  }

  @Test func `no target sees an extension of GRDB's database`() {
    for file in sources {
      var isInside = false
      for (number, line) in file.lines.enumerated() {
        if line.contains("extension Database ") { isInside = true }
        guard isInside else { continue }
        #expect(
          !code(line).contains("package "),
          "\(file.path):\(number + 1) is a package extension of Database: extend Reading or Transaction")
        if line == "}" { isInside = false }
      }
    }
  }

  @Test func `an app sees nothing of the store`() throws {
    for file in try files(below: "Sources/HoldfastStore/") {
      for (number, line) in file.lines.enumerated() {
        #expect(
          !isDeclaration(code(line)),
          "\(file.path):\(number + 1) is public: use package, or a value of HoldfastCore")
      }
    }
  }

  @Test func `every shown text is in the catalogue`() throws {
    let folders =
      [
        "Sources/Holdfast/", "Sources/HoldfastTransport/Machines/", "Sources/HoldfastCredentials/",
      ] + ["Drafts", "Outbox", "Link", "Search", "Scenes"].map { "Sources/HoldfastCore/\($0)/" }
    // The sentence of an error is written where it is thrown. Logs and failures of the link are not shown.
    let elsewhere = /(ChatError|ConnectionFailure|logger\.\w+|failure)\(/
    let literal = /"(?:\\.|[^"\\\n])*"/
    // The text has several words, or a word with a capital.
    let text = /"[A-Z][a-z]|[A-Za-z.,] [^"]*[A-Za-z\\]/
    let files = try folders.flatMap(files(below:))
    for file in files {
      let code = removeCalls(elsewhere, from: file.lines.map(code).joined(separator: "\n"))
      for found in code.matches(of: literal) where found.output.contains(text) {
        Issue.record("\(file.path) has the text \(found.output): use a text of ShownText+English.swift")
      }
    }
    let catalogue = try #require(sources.first { $0.name == "ShownText+English.swift" })
    #expect(catalogue.lines.contains { $0.contains(text) }, "The rule finds no text.")
    #expect(files.count > 100)
  }

  /// The code without calls that begin with this expression, up to their closing parentheses.
  private func removeCalls(_ call: Regex<(Substring, Substring)>, from code: String) -> String {
    var (kept, rest) = ("", code[...])
    while let begin = rest.firstMatch(of: call)?.range {
      kept += rest[..<begin.lowerBound]
      rest = rest[begin.upperBound...]
      var (depth, isText) = (1, false)
      while depth > 0, let next = rest.popFirst() {
        switch next {
        case "\\": rest = rest.dropFirst()
        case "\"": isText.toggle()
        case "(" where !isText: depth += 1
        case ")" where !isText: depth -= 1
        default: break
        }
      }
    }
    return kept + rest
  }

  @Test func `every public declaration says what it is`() {
    let products = [
      "Holdfast", "HoldfastCore", "HoldfastCredentials", "HoldfastRescue", "HoldfastNetwork",
      "HoldfastTransport", "HoldfastWebSocket", "HoldfastFirestore", "HoldfastMatrix", "HoldfastCompletions",
      "HoldfastAssistant", "HoldfastSwiftUI",
    ]
    .map { "Sources/\($0)/" }
    for file in sources where products.contains(where: file.path.hasPrefix) {
      for (number, line) in file.lines.enumerated() where isDeclaration(code(line)) {
        guard !isObvious(line) else { continue }
        #expect(
          isDocumented(file.lines, at: number),
          "\(file.path):\(number + 1) is public without a doc comment: \(line.trimmingCharacters(in: .whitespaces))"
        )
      }
    }
  }

  private func isDeclaration(_ line: Substring) -> Bool {
    let line = line.trimmingCharacters(in: .whitespaces)
    return line.hasPrefix("public ") || line.contains(" public ")
  }

  /// Whether a name, a type or a protocol explains the declaration: stored fields and codes, memberwise
  /// initializers, and the requirements of the standard library's protocols.
  private func isObvious(_ line: String) -> Bool {
    let line = line.trimmingCharacters(in: .whitespaces)
    let isField = line.hasPrefix("public var ") && !line.hasSuffix("{") && !line.contains("{ ")
    let isConstant = line.hasPrefix("public let ") || line.hasPrefix("public static let ")
    let isInitializer = line.hasPrefix("public init(")
    let requirements = [
      "description", "unownedExecutor", "func makeAsyncIterator", "func next(", "typealias", "func enqueue",
      "func encode(", "func hash(", "static func ==", "var body: some View",
    ]
    return isField || isConstant || isInitializer || requirements.contains { line.contains($0) }
  }

  /// Whether a declaration is documented. Attributes may be between the comment and the declaration.
  private func isDocumented(_ lines: [String], at number: Int) -> Bool {
    var above = number - 1
    while above >= 0 {
      let line = lines[above].trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix("@") else { return line.hasPrefix("///") }
      above -= 1
    }
    return false
  }
}

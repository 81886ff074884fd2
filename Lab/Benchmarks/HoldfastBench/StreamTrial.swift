import Foundation
import Holdfast
import HoldfastTransport

/// An assistant's answer of 10,000 tokens: they are stored as they come, and then once more as a whole.
struct StreamTrial: Trial {
  static let name = "streamed reply"
  private static let tokens = (0..<10_000).map { words[$0 % words.count] }
  private static let words = [" the", " ferry", " leaves", " at", " ten", ",", " so", " bring", " it", "."]
  private static let text = tokens.joined()
  /// The number of chunks of 250 ms, at 100 tokens a second.
  private static let commits = tokens.count / 25
  /// The index of words is kept meanwhile, and the engine looks where the stored words end.
  private static let besides = [
    "SELECT c.nextSequence FROM stream",
    "SELECT EXISTS (SELECT 1 FROM unindexed)", "SELECT position FROM unindexed",
    "SELECT max(position) FROM message", "DELETE FROM messageText",
    "SELECT position FROM message WHERE position >", "SELECT body FROM message WHERE position = ?",
    "INSERT OR REPLACE INTO messageText",
    "SELECT value FROM setting WHERE name = ?",
    "INSERT INTO setting (name, value) VALUES (?, ?)",
  ]

  static func run(on bench: Workbench) async throws -> Findings {
    try await run(on: bench, named: name, over: try await bench.template(of: 10_000), samples: (10, 3))
  }

  /// The same over a store of its own.
  static func run(
    on bench: Workbench, named name: String, over store: URL, samples: (burst: Int, paced: Int)
  ) async throws -> Findings {
    let burst = try await measure(
      bench, store, pace: nil, samples: min(bench.samples ?? samples.burst, samples.burst))
    let paced = try await measure(
      bench, store, pace: .milliseconds(10), samples: min(bench.samples ?? samples.paced, samples.paced))
    let unstreamed = try await unstreamed(
      bench, store, samples: min(bench.samples ?? samples.burst, samples.burst))
    let size = "\(text.utf8.count) bytes of text in 10,000 tokens"
    return Findings(outcomes: [
      Outcome(
        name: name + ", at once",
        summary: "\(size), each as soon as the engine takes it: until the whole answer is stored; "
          + "C gets the text in the engine's \(burst.chunks) chunks",
        engine: burst.engine.times, raw: burst.raw.times, statements: burst.check),
      Outcome(
        name: "  bytes written",
        summary: "all that is handed to write calls, checkpoint included, as many times the text",
        unit: "x text", engine: burst.engine.bytes, raw: burst.raw.bytes, aim: .value(4.5)),
      Outcome(
        name: "  at 100 tokens/s",
        summary: "the same with 10 ms between two tokens, on a clock that is set forward: "
          + "to the tail four times a second, and from there to the database; C commits \(Self.commits) chunks, one each "
          + "250 ms, of at least one page of 4 KB",
        unit: "x text", engine: paced.engine.bytes, raw: paced.raw.bytes, aim: .value(12),
        statements: paced.check),
      Outcome(
        name: "  not streamed",
        summary: "the same message, when it comes as a whole: what its row, the indexes and the checkpoint "
          + "write once, which no way to stream can do without",
        unit: "x text", engine: unstreamed.engine.bytes, raw: unstreamed.raw.bytes),
    ])
  }

  private static func unstreamed(
    _ bench: Workbench, _ store: URL, samples: Int
  ) async throws -> (engine: Side, raw: Side) {
    var (engineSide, rawSide) = (Side(), Side())
    for _ in 0..<samples {
      engineSide.append(
        try await engine(bench, store) { backend, _ in
          try await backend.say(.items([.message(message)], cursor: SyncCursor(rawValue: cursor)))
        })
      rawSide.append(try raw(bench, store) { try $0.append([message], cursor: cursor) })
    }
    return (engineSide, rawSide)
  }

  @MainActor private struct Side {
    var times = Samples()
    var bytes = Samples()
    mutating func append(_ sample: (time: Duration, bytes: Int)) {
      times.append(sample.time)
      bytes.append(Double(sample.bytes) / Double(text.utf8.count))
    }
  }

  private static func measure(
    _ bench: Workbench, _ store: URL, pace: Duration?, samples: Int
  ) async throws -> (engine: Side, raw: Side, chunks: Int, check: StatementCheck) {
    StatementCheck.install()
    let engineSQL = try await StatementCheck.recorded(passingOver: ReceiptBenchmark.bystanders + besides) {
      _ = try await engine(bench, store, pace: pace)
    }
    let chunks = pace == nil ? engineSQL.count { $0.hasPrefix("INSERT INTO chunk") } : commits
    let rawSQL = try await StatementCheck.recorded { _ = try raw(bench, store, chunks: chunks) }
    StatementCheck.uninstall()
    var (engineSide, rawSide) = (Side(), Side())
    for _ in 0..<samples {
      engineSide.append(try await engine(bench, store, pace: pace))
      rawSide.append(try raw(bench, store, chunks: chunks))
    }
    let check = StatementCheck(engine: kinds(engineSQL), raw: kinds(rawSQL))
    return (engineSide, rawSide, chunks, check)
  }

  /// Each once, in the order in which they came first, from the first that is about the message.
  private static func kinds(_ statements: [String]) -> [String] {
    var seen: Set<String> = []
    return statements.drop { !$0.hasPrefix("SELECT m.conversationID") }.filter { seen.insert($0).inserted }
  }

  /// The tokens, and then the whole: as fast as the engine takes them, or one after each `pace`.
  private static func engine(
    _ bench: Workbench, _ store: URL, pace: Duration?
  ) async throws -> (time: Duration, bytes: Int) {
    let pieces = pieces()
    return try await engine(bench, store, isStepped: pace != nil) { backend, clock in
      guard let pace else { return try await backend.say(pieces + [whole]) }
      var time = Duration.zero
      for (number, piece) in pieces.enumerated() {
        time += try await backend.say(piece)
        clock.advance(by: pace)
        // What is due is written before time goes on.
        if number.isMultiple(of: 5) { try await Task.sleep(for: .microseconds(200)) }
      }
      return time + (try await backend.say(whole))
    }
  }

  /// What the engine writes of what `say` says to it, until it is closed.
  private static func engine(
    _ bench: Workbench, _ store: URL, isStepped: Bool = false,
    _ say: @MainActor (Backend, SteppedClock) async throws -> Duration
  ) async throws -> (time: Duration, bytes: Int) {
    let place = bench.folder.appendingPathComponent("stream")
    defer { try? FileManager.default.removeItem(at: place) }
    try FileManager.default.copyItem(at: store, to: place)
    let clock = SteppedClock()
    let backend = Backend(isReachable: true)
    var (time, before) = (Duration.zero, 0)
    // The client is gone behind this, and with it its connections: the last one empties the journal.
    try await {
      let environment = isStepped ? ChatEnvironment(clock: clock) : ChatEnvironment()
      let client = try Rig.open(place, backend, environment: environment)
      try await bench.withRunning(client) {
        before = try WrittenBytes.count()
        time = try await say(backend, clock)
      }
    }()
    try requireEmptyJournal(place.appendingPathComponent("store.sqlite"))
    return (time, try WrittenBytes.count() - before)
  }

  private static func raw(
    _ bench: Workbench, _ source: URL, chunks: Int
  ) throws -> (time: Duration, bytes: Int) {
    // An engine that was done before the first chunk was due has written none.
    let length = chunks == 0 ? tokens.count : (tokens.count + chunks - 1) / chunks
    let parts = stride(from: 0, to: chunks == 0 ? 0 : tokens.count, by: length).map { first in
      let next = min(first + length, tokens.count)
      return (first: first, next: next, text: tokens[first..<next].joined())
    }
    return try raw(bench, source) { try $0.stream(message, chunks: parts) }
  }

  private static func raw(
    _ bench: Workbench, _ source: URL, _ write: (RawStore) throws -> Duration
  ) throws -> (time: Duration, bytes: Int) {
    let place = bench.folder.appendingPathComponent("stream-raw")
    defer { try? FileManager.default.removeItem(at: place) }
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let file = place.appendingPathComponent("raw.sqlite")
    var (time, before) = (Duration.zero, 0)
    try {
      let store = try RawStore(file: file, copying: source.appendingPathComponent("store.sqlite"))
      before = try WrittenBytes.count()
      time = try write(store)
    }()
    try requireEmptyJournal(file)
    return (time, try WrittenBytes.count() - before)
  }

  /// Only then everything that has to be written is written.
  private static func requireEmptyJournal(_ file: URL) throws {
    guard !FileManager.default.fileExists(atPath: file.path + "-wal") else {
      throw BenchmarkFailure("The store was not closed: its journal is still there.")
    }
  }

  private static let message = IncomingMessage(
    id: "eg-answer", conversation: Rig.conversation, sender: "bob", role: .assistant,
    content: MessageContent(text), order: 1_000_001, createdAt: Date(timeIntervalSince1970: 1_770_000_000))

  private static let cursor = "1000001"
  private static let whole = TransportEvent.items([.message(message)], cursor: nil)

  private static func pieces() -> [TransportEvent] {
    tokens.enumerated().map { number, token in
      .piece(
        StreamPiece(
          id: message.id, conversation: message.conversation, sender: message.sender,
          sequence: Int64(number), text: token))
    }
  }
}

import Foundation
import Holdfast
import HoldfastTransport
import Observation

/// What a conversation on the screen costs: the processor time for each token of a reply, each new message, each receipt
/// and each keystroke, with few and with many rows loaded, plain and rich.
///
/// Each event comes once while the screen follows and once while it does not. The difference is the screen's: the
/// models' work on the main actor, and whatever they make others do. The main actor's own thread cannot be asked,
/// because it is another one after each pause on Linux.
struct MainActorTrial: Trial {
  static let name = "main actor"
  /// The rows of a first look, and the most that a model loads.
  static let loaded = [30, 100, 300, 1_000]
  /// Those of rich rows.
  private static let richLoaded = [100, 1_000]

  static func run(on bench: Workbench) async throws -> Findings {
    var findings = Findings()
    for isRich in [false, true] {
      for rows in isRich ? richLoaded : loaded {
        findings.outcomes += try await measure(bench, rows: rows, isRich: isRich)
      }
    }
    return findings
  }

  private static func measure(_ bench: Workbench, rows: Int, isRich: Bool) async throws -> [Outcome] {
    let place = bench.folder.appendingPathComponent("main-actor")
    defer { try? FileManager.default.removeItem(at: place) }
    let source = isRich ? try await bench.richTemplate(of: 6_000) : try await bench.template(of: 10_000)
    try FileManager.default.copyItem(at: source, to: place)
    let backend = Backend(isReachable: true)
    let client = try Rig.open(place, backend)
    return try await bench.withRunning(client) {
      let screen = LoadedScreen(client, rows: rows)
      let run = MainActorRun(
        backend: backend, client: client, screen: screen, first: isRich ? 6_001 : 10_001,
        samples: min(bench.samples ?? 5, 5))
      return try await outcomes(run, rows: rows, isRich: isRich)
    }
  }

  private static func outcomes(_ run: MainActorRun, rows: Int, isRich: Bool) async throws -> [Outcome] {
    func name(_ event: String) -> String { Self.name(of: event, rows: rows, isRich: isRich) }
    return [
      Outcome(
        name: name("token"),
        summary: "what the screen adds to the processor time of a token that comes in; its row is shown",
        unit: "us", engine: try await run.tokens(), aim: .value(20)),
      Outcome(
        name: name("message"), summary: "the same for a new message, which gets a row at the end",
        unit: "us",
        engine: try await run.messages(), aim: .value(100)),
      Outcome(
        name: name("receipt"), summary: "the same for the receipt of a message that was sent",
        unit: "us", engine: try await run.receipts()),
      Outcome(
        name: name("keystroke"), summary: "the same for a character that is typed", unit: "us",
        engine: run.keystrokes()),
      Outcome(
        name: name("rows read again"),
        summary: "all loaded rows read from the store, as without patches for each message and token",
        unit: "us",
        engine: try run.readings(of: rows)),
      Outcome(
        name: name("rows in JSON"),
        summary:
          "as many messages encoded as JSON, as for a file that is written for each change; the writing is left out",
        unit: "us", engine: try run.encodings(of: rows)),
    ]
  }

  /// The name of an outcome.
  static func name(of event: String, rows: Int, isRich: Bool = false) -> String {
    "screen: \(event), \(grouped(rows)) \(isRich ? "rich " : "")rows"
  }
}

/// A conversation on the screen: a list of its rows, and a view of each of the last fifteen, made again when it has to be.
@MainActor final class LoadedScreen {
  let model: ConversationModel
  let composer: ComposerModel
  private let list: ObservingView
  private var rows: [MessageID: ObservingView] = [:]

  init(_ client: ChatClient, rows: Int) {
    model = ConversationModel(client, Rig.conversation)
    composer = ComposerModel(client, Rig.conversation)
    while model.rowIDs.count < rows, model.older == .onDevice { model.loadOlder() }
    list = ObservingView()
    list.show { [weak self] in self?.showRows() }
  }

  /// Follows the conversation meanwhile.
  func whileShown<Value>(_ body: @MainActor () async throws -> Value) async throws -> Value {
    let running = Task { [model, composer] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await model.run() }
        group.addTask { await composer.run() }
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    running.cancel()
    await running.value
    return try result.get()
  }

  private func showRows() {
    let ids = model.rowIDs.suffix(15)
    for id in ids where rows[id] == nil {
      let view = ObservingView()
      rows[id] = view
      view.show { [model] in _ = model.row(id)?.text }
    }
  }
}

/// A view that is made again when something changes that it has read.
@MainActor private final class ObservingView {
  private var body: @MainActor () -> Void = {}

  func show(_ body: @escaping @MainActor () -> Void) {
    self.body = body
    make()
  }

  private func make() {
    withObservationTracking {
      body()
    } onChange: { [weak self] in
      Task { @MainActor in self?.make() }
    }
  }
}

/// What happens to a screen, and what it spends on it.
@MainActor struct MainActorRun {
  let backend: Backend
  let client: ChatClient
  let screen: LoadedScreen
  /// The server's number of the first new message.
  let first: Int
  let samples: Int
  private static let events = 10

  func tokens() async throws -> Samples {
    let id: MessageID = "eg-reply"
    func piece(_ number: Int) -> TransportEvent {
      .piece(
        StreamPiece(
          id: id, conversation: Rig.conversation, sender: "bob", sequence: Int64(number), text: " ferry"))
    }
    _ = try await backend.say([piece(0), piece(1)])
    let used = try await costs(of: 100) { sample, count in (0..<count).map { piece(2 + sample * count + $0) }
    }
    screen.model.reload()
    guard screen.model.row(id)?.text.count == 6 * (2 + 2 * samples * 100) else {
      throw BenchmarkFailure("The screen does not show the reply.")
    }
    return used
  }

  func messages() async throws -> Samples {
    try await costs { sample, count in
      Rig.messages(first + sample * count..<first + (sample + 1) * count).map {
        .items([.message($0)], cursor: SyncCursor(rawValue: "\($0.order ?? 0)"))
      }
    }
  }

  func receipts() async throws -> Samples {
    let first = first + 2 * samples * Self.events
    return try await costs { sample, count in
      let ids = try (0..<count).map { try client.send(typedText($0), in: Rig.conversation) }
      try await backend.waitForTransmissions((sample + 1) * count)
      let messages = Rig.messages(first + sample * count..<first + (sample + 1) * count)
      return zip(ids, messages).map { id, message in
        .receipts([
          Receipt(id: id, conversation: Rig.conversation, order: message.order, createdAt: message.createdAt)
        ])
      }
    }
  }

  func keystrokes() -> Samples {
    var number = 0
    return used {
      screen.composer.edit(String(repeating: "a", count: 1 + number % 100))
      number += 1
    }
  }

  func readings(of rows: Int) throws -> Samples {
    try used { _ = try client.conversation(Rig.conversation).messages(last: rows) }
  }

  func encodings(of rows: Int) throws -> Samples {
    let messages = Rig.messages(1...rows).map(JSONMessage.init)
    return try used { _ = try JSONEncoder().encode(messages) }
  }

  private func used(by body: () throws -> Void) rethrows -> Samples {
    var used = Samples()
    for _ in 0..<samples * Self.events {
      let before = ProcessorTime.microseconds()
      try body()
      used.append(ProcessorTime.microseconds() - before)
    }
    return used
  }

  /// What the screen adds to each of `count` events.
  private func costs(
    of count: Int = events, _ events: (_ sample: Int, _ count: Int) async throws -> [TransportEvent]
  ) async throws -> Samples {
    var used = Samples()
    for sample in 0..<samples {
      let hidden = try await time(of: try await events(2 * sample, count))
      let next = try await events(2 * sample + 1, count)
      used.append(try await screen.whileShown { try await time(of: next) } - hidden)
    }
    return used
  }

  /// The processor time for one of the events, in microseconds. They are said one after the other, by another thread and
  /// at a pace at which each is shown by itself.
  private func time(of events: [TransportEvent]) async throws -> Double {
    // What was sent or read before is through.
    try await Task.sleep(for: .milliseconds(100))
    let backend = backend
    let before = ProcessorTime.microseconds()
    try await Task.detached {
      for event in events {
        _ = try await backend.say(event)
        try await Task.sleep(for: .milliseconds(events.count > 10 ? 3 : 40))
      }
    }.value
    return (ProcessorTime.microseconds() - before) / Double(events.count)
  }
}

/// The processor time of this process.
enum ProcessorTime {
  static func microseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

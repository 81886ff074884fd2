import Foundation
import Holdfast
import HoldfastTransport

/// The cost of chatting and waiting for a battery and a flash memory.
struct EnergyTrial: Trial {
  static let name = "energy"
  private static let aftermath = ", and the two minutes after it"
  /// The end of each summary.
  private static let counted =
    "; counted are syncs of SQLite's files and of the tail, bytes handed to write calls, and waits of the engine and its "
    + "models that end because their time has come"

  static func run(on bench: Workbench) async throws -> Findings {
    CountedSyncs.install()
    defer { CountedSyncs.uninstall() }
    return Findings(
      outcomes: try await typing(bench) + sending(bench) + receiving(bench) + streaming(bench)
        + resting(bench, isOnline: true) + resting(bench, isOnline: false))
  }

  private static func typing(_ bench: Workbench) async throws -> [Outcome] {
    try await samples(bench, count: 1) { app, _ in
      for length in 1...300 {
        app.composer.edit(String(text.prefix(length)))
        await app.pass(.milliseconds(200))
      }
      try require(app.composer)
    }.outcomes(named: "minute of typing", summary: "five characters a second" + aftermath + counted)
  }

  private static func sending(_ bench: Workbench) async throws -> [Outcome] {
    try await samples(bench, count: 20) { app, number in
      app.composer.edit(typedText(number))
      guard let id = app.composer.send() else { throw BenchmarkFailure("The message was not sent.") }
      try await app.backend.waitForTransmissions(number + 1)
      let message = message(number)
      _ = try await app.backend.say(
        .receipts([
          Receipt(id: id, conversation: Rig.conversation, order: message.order, createdAt: message.createdAt)
        ]))
    }.outcomes(named: "message sent", summary: "from the composer, with its receipt" + aftermath + counted)
  }

  private static func receiving(_ bench: Workbench) async throws -> [Outcome] {
    try await samples(bench, count: 20) { app, number in
      _ = try await app.backend.say(arrival(of: message(number)))
    }.outcomes(
      named: "message received", summary: "into the conversation on the screen" + aftermath + counted)
  }

  private static func streaming(_ bench: Workbench) async throws -> [Outcome] {
    let tokens = (0..<1_200).map { $0.isMultiple(of: 2) ? " ferry" : " leaves" }
    return try await samples(bench, count: 3) { app, number in
      var whole = message(number)
      whole.content = MessageContent(tokens.joined())
      for (place, token) in tokens.enumerated() {
        _ = try await app.backend.say(
          .piece(
            StreamPiece(
              id: whole.id, conversation: whole.conversation, sender: whole.sender, sequence: Int64(place),
              text: token)))
        await app.pass(.milliseconds(50))
      }
      _ = try await app.backend.say(arrival(of: whole))
    }.outcomes(
      named: "minute of a reply",
      summary: "a token each 50 ms, and then the reply as a whole" + aftermath + counted)
  }

  private static func resting(_ bench: Workbench, isOnline: Bool) async throws -> [Outcome] {
    try await samples(bench, count: 1, isOnline: isOnline) { app, _ in
      // The aftermath is the rest of the hour.
      await app.pass(.seconds(3_600) - SteppedApp.aftermath)
    }.outcomes(
      named: "idle hour \(isOnline ? "online" : "offline")",
      summary: (isOnline
        ? "connected, and nobody says anything" : "the transport waits for a way to the server")
        + counted,
      aim: isOnline ? .value(0) : nil)
  }

  /// Does something a few times in an app of its own.
  private static func samples(
    _ bench: Workbench, count: Int, isOnline: Bool = true,
    _ body: @MainActor (SteppedApp, Int) async throws -> Void
  ) async throws -> WearSamples {
    let first = isOnline ? arrival(of: Rig.messages([10_001])[0]) : nil
    return try await SteppedApp.run(on: bench, first: first) { app in
      var samples = WearSamples()
      for number in 0..<min(bench.samples ?? count, count) {
        samples.append(try await app.wear { try await body(app, number) })
      }
      try await app.requireLife()
      return samples
    }
  }

  /// The text that is typed in a minute.
  private static let text = (0..<5).map(typedText).joined(separator: " ")

  /// The next messages of the server. An odd number is the other's.
  private static func message(_ number: Int) -> IncomingMessage { Rig.messages([10_003 + 2 * number])[0] }

  private static func arrival(of message: IncomingMessage) -> TransportEvent {
    .items([.message(message)], cursor: SyncCursor(rawValue: "\(message.order ?? 0)"))
  }

  private static func require(_ composer: ComposerModel) throws {
    if let problem = composer.snapshot.problem { throw BenchmarkFailure("not saved: \(problem)") }
  }
}

import Holdfast
import HoldfastTesting
import HoldfastTransport
import Testing

import TestedApp

/// The app's server, as the test needs it: it has notes, and knows a note again by its ID.
private actor NotesServer {
  private var known: Set<MessageID> = []
  private(set) var notes: [String] = []

  func put(_ note: OutgoingMessage) {
    if known.insert(note.id).inserted { notes.append(note.text) }
  }
}

@Suite struct NotesScreenTests {
  /// A user writes ten notes, on a phone that loses its network and is killed. Each is on the server once, in order.
  private func story(seed: UInt64, sendsInTwoSteps: Bool = false) -> AppWorld {
    AppWorld(seed: seed, faults: .all) { world in
      let server = NotesServer()
      let phone = world.phone("phone") { launch in
        let transport = RequestTransport(TransportCapabilities(idempotency: .forever)) { note in
          await server.put(note)
          return .accepted()
        }
        let client = try ChatClient(
          storage: launch.storage, transport: launch.transport(transport), user: "me",
          configuration: launch.configuration)
        return try await NotesScreen(client, sendsInTwoSteps: sendsInTwoSteps)
      } run: { screen in
        await screen.run()
      }
      try await phone.launch()

      let texts = (1...10).map { "note \($0)" }
      for text in texts {
        // The app keeps what was typed a second ago. It is typed again where the app was killed before that.
        while try await phone.app().text != text {
          _ = try await phone.use { await type(text, on: $0) }
          try await world.pass(.seconds(1))
        }
        while try await !phone.app().notes.contains(text) {
          let field = try await phone.app().text
          try world.check(field == text, "'\(text)' is in the list or in the field, which has '\(field)'")
          _ = try await phone.use { await $0.send() }
          try await world.pass(.milliseconds(100))  // the list follows
        }
        try await world.pass(.seconds(world.number(in: 0...20)))
      }
      world.calm()
      try await world.wait(for: "all notes to arrive", within: .seconds(1200)) {
        await server.notes.count >= 10
      }
      let arrived = await server.notes
      try world.check(arrived == texts, "each note is on the server once, in order: \(arrived)")
      let shown = try await phone.app().notes
      try world.check(shown == texts, "the phone shows them: \(shown)")
    }
  }

  @MainActor private func type(_ text: String, on screen: NotesScreen) { screen.text = text }

  @Test(arguments: UInt64(1)...20) func `each note arrives once, whatever happens`(seed: UInt64) throws {
    try story(seed: seed).run()
  }

  /// Only a kill between the two steps shows the fault. The same seed shows it again.
  @Test func `an app that sends in two steps loses a note, and a seed shows it`() throws {
    let failures = (UInt64(1)...200).lazy.compactMap { seed in
      do throws(AppWorld.Failure) { try self.story(seed: seed, sendsInTwoSteps: true).run() } catch {
        return error
      }
      return nil
    }
    let failure = try #require(failures.first)
    print(failure)
    #expect(failure.reason.contains("in the list or in the field"))
    let again = #expect(throws: AppWorld.Failure.self) {
      try self.story(seed: failure.seed, sendsInTwoSteps: true).run()
    }
    #expect(again?.description == failure.description)
  }
}

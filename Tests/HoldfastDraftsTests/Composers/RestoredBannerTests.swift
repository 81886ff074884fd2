import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The banner of a restored draft, shown once in a session of the app.
@MainActor @Suite(.timeLimit(.minutes(10))) struct RestoredBannerTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private static let day = 86_400.0

  /// A launch of the app. An earlier launch has left a draft this many seconds ago.
  private func launch(after seconds: Double = 0, leaving text: String = "half a thought") throws -> ChatClient
  {
    do {
      let composer = ComposerModel(try bench.client(), eg.conversation)
      composer.edit(text)
      composer.hardSave()
    }
    bench.dateError.withLock { $0 += seconds }
    return try bench.client()
  }

  /// Opens the composer as a view does, and returns the kind of its banner.
  private func look(_ client: ChatClient) -> DraftBanner.Kind? {
    let composer = ComposerModel(client, eg.conversation)
    composer.session.appear()
    return composer.snapshot.banner?.kind
  }

  // D10.4, D10.10
  @Test(arguments: [60.0, 7_200.0, 2_592_000.0]) func `a draft is told of once, whatever its age`(
    seconds: Double
  ) throws {
    let client = try launch(after: seconds)
    #expect(look(client) != nil)
    #expect(look(client) == nil, "A switch back.")
    bench.dateError.withLock { $0 += 2 * 3600 }
    #expect(look(client) == nil, "A switch back hours later.")
    #expect(try look(bench.client()) != nil, "The next launch.")
  }

  // D10.10
  @Test func `a second window does not tell of the draft that the first one tells of`() throws {
    let client = try launch()
    let first = ComposerModel(client, eg.conversation)
    let second = ComposerModel(client, eg.conversation)
    first.session.appear()
    second.session.appear()
    second.hardSave()
    #expect(first.snapshot.banner?.kind == .recovered)
    #expect(second.snapshot.banner == nil)
    #expect(look(client) == nil)
  }

  // D10.9, D10.10
  @Test func `a composer that no view shows takes the banner from nobody`() throws {
    let client = try launch()
    _ = ComposerModel(client, eg.conversation)
    #expect(look(client) == .recovered)
  }

  // D10.3
  @Test func `the next draft of the session is told of when it has become old`() throws {
    let client = try launch()
    #expect(look(client) == .recovered)
    let composer = ComposerModel(client, eg.conversation)
    composer.discard()
    composer.edit("another thought")
    composer.hardSave()
    #expect(look(client) == nil, "It is new.")
    bench.dateError.withLock { $0 += 2 * 3600 }
    #expect(look(client) == .recovered)
    #expect(look(client) == nil)
  }

  // D11.2
  @Test func `an old draft that is kept is not asked about again until it changes`() throws {
    var client = try launch(after: 8 * Self.day)
    let composer = ComposerModel(client, eg.conversation)
    composer.session.appear()
    #expect(composer.snapshot.banner?.kind == .old)
    composer.keepDraft()
    #expect(composer.snapshot.banner == nil)
    // The cursor of the text field moves, and the text stays the same.
    composer.edit("half a thought", selection: TextRange(start: 4, end: 4))
    composer.hardSave()
    bench.dateError.withLock { $0 += 8 * Self.day }
    client = try bench.client()
    #expect(look(client) == nil, "After a relaunch.")
    let changed = ComposerModel(client, eg.conversation)
    changed.edit("half a thought, and more")
    changed.hardSave()
    bench.dateError.withLock { $0 += 8 * Self.day }
    #expect(try look(bench.client()) == .old)
  }

  // D10.10, D11.2
  @Test func `a controller tells once, and keeps what was kept`() throws {
    _ = try launch(after: 8 * Self.day)
    func controller() throws -> DraftController {
      try DraftController(
        storage: .folder(bench.scratch.url), user: eg.user,
        configuration: ChatConfiguration(environment: bench.environment))
    }
    func banner(of composer: DraftComposer) throws -> DraftBanner.Kind? {
      _ = try composer.content()
      return composer.banner?.kind
    }
    do {
      let drafts = try controller()
      do {
        let composer = drafts.composer(in: eg.conversation)
        #expect(try banner(of: composer) == .old)
        #expect(try banner(of: composer) == .old, "It is still on the screen.")
      }
      #expect(try banner(of: drafts.composer(in: eg.conversation)) == nil, "A switch back.")
    }
    do {
      let composer = try controller().composer(in: eg.conversation)
      #expect(try banner(of: composer) == .old)
      try composer.keepDraft()
    }
    #expect(try banner(of: controller().composer(in: eg.conversation)) == nil)
  }

  // D10.11, D17.1
  @Test func `a draft that loads late has its banner, and counts as restored`() throws {
    let client = try launch()
    try StoreSurgery.hideDrafts(of: client)
    let composer = ComposerModel(client, eg.conversation)
    composer.session.appear()
    #expect(composer.snapshot.text == "")
    #expect(composer.snapshot.banner == nil)
    try StoreSurgery.showDrafts(of: client)
    composer.hardSave()
    #expect(composer.snapshot.text == "half a thought")
    #expect(composer.snapshot.banner?.kind == .recovered)
    try client.hardSave()
    #expect(try client.draftMetrics().restores == 1)
    composer.edit("half a thought, and more")
    #expect(composer.snapshot.banner == nil)
  }
}

import EngineFixtures
import Foundation
import Observation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The number of times that a view is evaluated: the values that it has read are observed, as SwiftUI does it around
/// `body`.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ObservedPartsTests {
  /// A view that reads something each time it is evaluated.
  @MainActor private final class View {
    private(set) var made = 0
    private let body: @MainActor () -> Void
    private let isStale = Mutexed(false)

    init(_ body: @escaping @MainActor () -> Void) {
      self.body = body
      make()
    }

    /// Evaluates the view again if necessary, as at the end of a pass.
    func pass() { if isStale.withLock({ $0 }) { make() } }

    private func make() {
      made += 1
      isStale.withLock { $0 = false }
      withObservationTracking {
        body()
      } onChange: { [isStale] in
        isStale.withLock { $0 = true }
      }
    }
  }

  private let bench: Bench
  private let client: ChatClient
  private let model: ConversationModel
  private let composer: ComposerModel

  init() throws {
    bench = try Bench(inMemory: true)
    client = try bench.client()
    for number in 1...100 { try client.send("message \(number)", in: eg.conversation) }
    model = ConversationModel(client, eg.conversation)
    composer = ComposerModel(client, eg.conversation)
  }

  /// The views of a screen with a hundred rows.
  private struct Screen {
    var whole, list, title, text, button: View
    var rows: [View]

    @MainActor var all: [View] { [whole, list, title, text, button] + rows }

    /// The number of evaluations during this call, of the whole snapshot, the list of IDs, the title, the text
    /// field, the button, and all rows together.
    @MainActor func made() -> [Int] {
      let before = all.map(\.made)
      for view in all { view.pass() }
      let new = zip(all, before).map { $0.made - $1 }
      return Array(new[..<5]) + [new[5...].reduce(0, +)]
    }
  }

  private func screen() -> Screen {
    let (model, composer) = (model, composer)
    return Screen(
      whole: View { _ = model.snapshot }, list: View { _ = model.rowIDs }, title: View { _ = model.title },
      text: View { _ = composer.text }, button: View { _ = composer.canSend },
      rows: model.rowIDs.map { id in View { _ = model.row(id) } })
  }

  // A3.1
  @Test func `a keystroke makes the text field again, and nothing else`() throws {
    composer.text = "H"
    let screen = screen()
    #expect(screen.rows.count == 100)
    composer.text = "Ha"
    #expect(screen.made() == [0, 0, 0, 1, 0, 0])
    composer.text = ""
    #expect(screen.made() == [0, 0, 0, 1, 1, 0])
  }

  // A3.1
  @Test func `a token makes the row of its reply again, and nothing else`() async throws {
    let reply = try await client.conversation(eg.conversation).beginReply(as: .assistant("echo", of: eg.user))
    model.reload()
    let screen = screen()
    #expect(screen.rows.count == 100)
    for word in ["one ", "two ", "three "] {
      try await reply.append(word)
      model.reload()
      #expect(screen.made() == [1, 0, 0, 0, 0, 1])
    }
    #expect(model.row(reply.id)?.text == "one two three ")
  }

  // A3.1
  @Test func `a receipt makes its row again, and a new message the list`() async throws {
    let id = try #require(model.rowIDs.last)
    let screen = screen()
    try client.message(id).react("👍")
    model.reload()
    #expect(screen.made() == [1, 0, 0, 0, 0, 1])
    try client.send("one more", in: eg.conversation)
    model.reload()
    // The window has a hundred rows, so the oldest one is dropped.
    #expect(screen.made().prefix(3) == [1, 1, 0])
    model.reload()
    #expect(screen.made() == [0, 0, 0, 0, 0, 0], "Nothing has changed.")
  }

  // A3.1
  @Test func `a tick of the banner makes the banner again, and nothing else`() throws {
    composer.text = "half a thought"
    composer.hardSave()
    let composer = ComposerModel(try bench.client(), eg.conversation)
    let (text, button, banner) = (
      View { _ = composer.text }, View { _ = composer.canSend }, View { _ = composer.banner }
    )
    #expect(composer.banner?.text == "Recovered draft • just now")
    bench.dateError.withLock { $0 += 120 }
    composer.refresh()
    for view in [text, button, banner] { view.pass() }
    #expect(text.made == 1 && button.made == 1 && banner.made == 2)
    #expect(composer.banner?.text == "Recovered draft • 2 minutes ago")
  }

  // A3.1
  @Test func `texts that look the same and are not are distinguished`() {
    composer.text = "caf\u{E9}"
    let screen = screen()
    composer.text = "cafe\u{301}"
    #expect(screen.made() == [0, 0, 0, 1, 0, 0])
    #expect(composer.text.hasSameBytes(as: "cafe\u{301}"))
  }

  // A3.1
  @Test func `a list's rows and its offers to undo are observed apart`() throws {
    try client.createConversation("other", title: "Other")
    let list = ConversationListModel(client)
    let (rows, undoable) = (View { _ = list.rows }, View { _ = list.undoable })
    try client.send("hello", in: "other")
    list.reload()
    for view in [rows, undoable] { view.pass() }
    #expect(rows.made == 2 && undoable.made == 1)
    #expect(list.rows.map(\.title).contains("Other"))
  }
}

import Foundation
import Holdfast
import Observation

/// Everything a phone's screen shows, as one value.
struct PhoneSnapshot: Sendable, Codable, Hashable {
  var me: UserID
  var link: Link
  var banner: LinkBanner?
  var list: ConversationListSnapshot
  /// Both nil while the list is shown.
  var conversation: ConversationSnapshot?
  var composer: ComposerSnapshot?
  /// The number of the last intent whose effect is in here.
  var handled: Int
}

/// A phone's app: the engine's models, and which of them are on the screen.
@MainActor @Observable final class PhoneScreen {
  /// One conversation that is or was on the screen. It stays warm, so that going back costs nothing.
  @MainActor final class Open: Sendable {
    let id: ConversationID
    let timeline: ConversationModel
    let composer: ComposerModel

    init(_ client: ChatClient, _ id: ConversationID) {
      self.id = id
      timeline = ConversationModel(client, id)
      composer = ComposerModel(client, id)
    }

    func run() async {
      async let timeline: Void = timeline.run()
      async let composer: Void = composer.run()
      _ = await (timeline, composer)
    }
  }

  private var current: Open?
  private var handled = 0
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let path: NetworkPath
  @ObservationIgnored private let list: ConversationListModel
  @ObservationIgnored private let link: LinkModel
  @ObservationIgnored private var warm: [ConversationID: Open] = [:]
  @ObservationIgnored private let opened: AsyncStream<Open>
  @ObservationIgnored private let willOpen: AsyncStream<Open>.Continuation

  init(_ client: ChatClient, path: NetworkPath) {
    self.client = client
    self.path = path
    list = ConversationListModel(client)
    link = LinkModel(client)
    (opened, willOpen) = AsyncStream.makeStream()
  }

  var snapshot: PhoneSnapshot {
    PhoneSnapshot(
      me: client.user, link: link.link, banner: link.banner, list: list.snapshot,
      conversation: current?.timeline.snapshot, composer: current?.composer.snapshot, handled: handled)
  }

  /// Follows the engine until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.list.run() }
      group.addTask { await self.link.run() }
      for await conversation in opened {
        group.addTask { await conversation.run() }
      }
    }
  }

  /// Calls `write` with the present snapshot and after each change. Changes in one turn give one call.
  func show(_ write: @MainActor (PhoneSnapshot) -> Void) async {
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    change.yield()
    for await _ in changes {
      write(withObservationTracking { snapshot } onChange: { change.yield() })
    }
  }

  func open(_ id: ConversationID) {
    guard current?.id != id else { return }
    leave()
    if let there = warm[id] {
      current = there
    } else {
      let new = Open(client, id)
      warm[id] = new
      willOpen.yield(new)
      current = new
    }
  }

  /// The conversation leaves the screen: its draft is on disk when this returns (SPEC D4, D12).
  func leave() {
    current?.composer.hardSave()
    current = nil
  }

  func perform(_ intent: PhoneIntent) async {
    switch intent.type {
    case .edit: edit(intent)
    case .send:
      edit(intent)
      // Return in an empty text field is no mistake to complain about.
      if let composer = current?.composer, composer.snapshot.canSend { composer.send() }
    case .open: if let id = intent.conversation { open(ConversationID(rawValue: id)) }
    case .back: leave()
    case .loadOlder: current?.timeline.loadOlder()
    case .rest: current?.composer.hardSave()
    case .retry:
      // A message that went through or was deleted meanwhile needs no retry, and the screen shows so.
      if let id = intent.message { try? await client.retry(MessageID(rawValue: id)) }
    case .network: if let isUp = intent.isUp { path.set(isUp: isUp) }
    }
    handled = max(handled, intent.number ?? 0)
  }

  /// What was typed into a conversation that has left the screen meanwhile was stored when it left.
  private func edit(_ intent: PhoneIntent) {
    guard let current, current.id.rawValue == intent.conversation, let text = intent.text else { return }
    var selection: TextSelection?
    if let start = intent.selectionStart, let end = intent.selectionEnd {
      selection = TextSelection(start: start, end: end)
    }
    current.composer.edit(text, selection: selection)
  }
}

import Foundation
import Holdfast
import Observation

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
  private var info: MessageID?
  private var held: HeldMessages?
  /// The user has tapped a held message.
  private var wantsToDecide = false
  private var outbox: OutboxReading
  @ObservationIgnored private var oldest: MessageID?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let path: NetworkPath
  @ObservationIgnored private let environment: ChatEnvironment
  @ObservationIgnored private let list: ConversationListModel
  @ObservationIgnored private let link: LinkModel
  @ObservationIgnored private let why: ExplanationModel
  @ObservationIgnored private let notice: PhoneNotice
  @ObservationIgnored private var warm: [ConversationID: Open] = [:]
  @ObservationIgnored private let opened: AsyncStream<Open>
  @ObservationIgnored private let willOpen: AsyncStream<Open>.Continuation

  init(_ client: ChatClient, path: NetworkPath, environment: ChatEnvironment) throws {
    self.client = client
    self.path = path
    self.environment = environment
    list = ConversationListModel(client)
    link = LinkModel(client)
    why = ExplanationModel(client)
    notice = PhoneNotice(environment)
    outbox = OutboxReading(try client.outboxHealth(), now: environment.now())
    (opened, willOpen) = AsyncStream.makeStream()
  }

  var snapshot: PhoneSnapshot {
    PhoneSnapshot(
      me: client.user, link: link.link, banner: link.banner, list: list.snapshot,
      conversation: current?.timeline.snapshot, composer: current?.composer.snapshot, question: question,
      info: info, notice: notice.text, outbox: outbox, explanation: why.explanation, handled: handled)
  }

  private var question: HeldMessages? {
    guard let held, held.count > 0, held.isAsked || wantsToDecide else { return nil }
    return held
  }

  /// Follows the engine until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.list.run() }
      group.addTask { await self.link.run() }
      group.addTask { await self.why.run() }
      group.addTask { await self.notice.run() }
      group.addTask { await self.followOutbox() }
      group.addTask { await self.followHeld() }
      for await conversation in opened {
        group.addTask { await conversation.run() }
      }
    }
  }

  private func followOutbox() async {
    for await health in client.outboxHealthChanges() {
      outbox = OutboxReading(health, now: environment.now())
      oldest = health.oldest
      explain()
    }
  }

  private func followHeld() async {
    for await held in client.heldMessages() { self.held = held }
  }

  private func explain() { why.show(info ?? oldest) }

  /// Calls `write` with the present snapshot and after each change.
  func show(_ write: @MainActor (PhoneSnapshot) -> Void) async {
    await follow {
      snapshot
    } until: {
      write($0)
      return false
    }
  }

  /// Hands what `read` gives to `isDone`, now and after each change, until that answers true. Changes in
  /// one turn give one call.
  private func follow<Value>(_ read: () -> Value, until isDone: (Value) -> Bool) async {
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    change.yield()
    for await _ in changes {
      if isDone(withObservationTracking(read) { change.yield() }) { return }
    }
  }

  func open(_ id: ConversationID) {
    guard current?.id != id else { return }
    rest()
    if let there = warm[id] {
      current = there
    } else {
      let new = Open(client, id)
      warm[id] = new
      willOpen.yield(new)
      current = new
    }
  }

  /// The draft on the screen is on disk when this returns (SPEC D4, D12).
  func rest() { current?.composer.hardSave() }

  func perform(_ intent: PhoneIntent) async {
    switch intent.type {
    case .edit: edit(intent)
    case .send:
      edit(intent)
      // Return in an empty text field is no mistake to complain about.
      if let composer = current?.composer, composer.snapshot.canSend { composer.send() }
    case .open: if let id = intent.conversation { open(ConversationID(rawValue: id)) }
    case .back:
      rest()
      current = nil
    case .loadOlder: current?.timeline.loadOlder()
    case .rest: rest()
    case .discard: onScreen(intent)?.discard()
    case .undoDiscard: onScreen(intent)?.undoDiscard()
    case .keepDraft: onScreen(intent)?.keepDraft()
    case .retry, .takeBack, .cancel, .info: await tapped(intent)
    case .decide: wantsToDecide = true
    case .answer:
      wantsToDecide = false
      if let answer = intent.answer { await attempt { try client.answerHeld(answer) } }
    case .close: show(info: nil)
    case .network: await setNetwork(isUp: intent.isUp ?? true)
    }
    handled = max(handled, intent.number ?? 0)
  }

  /// What a tap on a message offers (SPEC O8, O9).
  private func tapped(_ intent: PhoneIntent) async {
    guard let message = intent.message.map(MessageID.init(rawValue:)) else { return }
    switch intent.type {
    case .retry: await attempt { try await client.retry(message) }
    case .takeBack: await attempt { _ = try await client.takeBack(message) }
    case .cancel: await attempt { try await client.cancel(message) }
    default: show(info: message)
    }
  }

  /// What comes too late, or cannot be stored, is said in the error's own words.
  private func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      notice.say((error as? ChatError)?.message ?? "That did not work.")
    }
  }

  private func show(info message: MessageID?) {
    info = message
    explain()
  }

  private func setNetwork(isUp: Bool) async {
    path.set(isUp: isUp)
    // What the user sends after the switch was turned must not slip out of the connection that is closing.
    if !isUp {
      await follow {
        link.link
      } until: {
        $0 == .offline
      }
    }
  }

  /// The composer that an intent is about. Nil when it has left the screen meanwhile.
  private func onScreen(_ intent: PhoneIntent) -> ComposerModel? {
    current.flatMap { $0.id.rawValue == intent.conversation ? $0.composer : nil }
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

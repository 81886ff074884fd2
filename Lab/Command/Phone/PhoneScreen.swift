import Foundation
import Holdfast
import HoldfastPresenters
import HoldfastRescue
import Observation

/// A phone's app: the engine's models, and the windows that show them.
@MainActor @Observable final class PhoneScreen {
  /// The number of the window that is opened beside the first one.
  nonisolated static let secondWindow = 2

  private var handled = 0
  private let held: HeldModel
  private var outbox: OutboxReading
  private var second: PhoneWindow?
  @ObservationIgnored private var oldest: MessageID?
  @ObservationIgnored private let first: PhoneWindow
  @ObservationIgnored let client: ChatClient
  @ObservationIgnored private let assistant: PhoneAssistant?
  @ObservationIgnored private let path: NetworkPath
  @ObservationIgnored private let environment: ChatEnvironment
  @ObservationIgnored private let list: ConversationListModel
  @ObservationIgnored private let link: ConnectionModel
  @ObservationIgnored private let notice: PhoneNotice
  @ObservationIgnored private let imports: PhoneImport
  @ObservationIgnored private let windows: AsyncStream<PhoneWindow>
  @ObservationIgnored private let willRun: AsyncStream<PhoneWindow>.Continuation

  init(
    _ client: ChatClient, _ assistant: PhoneAssistant?, path: NetworkPath, environment: ChatEnvironment
  ) throws {
    self.client = client
    self.assistant = assistant
    self.path = path
    self.environment = environment
    list = ConversationListModel(client)
    link = ConnectionModel(client)
    notice = PhoneNotice(environment)
    imports = PhoneImport(client)
    held = HeldModel(client)
    outbox = OutboxReading(try client.outbox.health(), now: environment.now())
    first = PhoneWindow(client, 1)
    (windows, willRun) = AsyncStream.makeStream()
    willRun.yield(first)
  }

  var snapshot: PhoneSnapshot {
    let (shown, sheets) = (shownList, sheets)
    let window = first.snapshot(sheets)
    return PhoneSnapshot(
      me: client.user, link: link.connectivity, banner: link.banner, progress: link.progress, list: shown,
      conversations: shown.rows.map { PresentedConversation($0, client.configuration.texts) },
      listContent: PresentedContent(list, client.configuration.texts), hasAssistant: assistant != nil,
      conversation: window.conversation, messages: window.messages, bodies: window.bodies,
      content: window.content, composer: window.composer, info: window.info, explanation: window.explanation,
      explanationProblem: window.explanationProblem, fileProblem: window.fileProblem,
      versions: window.versions, anchor: window.anchor, isPanelOpen: window.isPanelOpen, lost: window.lost,
      search: window.search, hit: window.hit, deletion: window.deletion,
      sheet: window.sheet, second: second?.snapshot(sheets),
      question: held.question, importing: imports.reading, notice: notice.text,
      outbox: outbox, handled: handled)
  }

  /// The sheets that cover every window.
  private var sheets: Set<CoveringSheet> {
    var sheets: Set<CoveringSheet> = imports.reading == nil ? [] : [.importing]
    if held.question != nil { sheets.insert(.held) }
    return sheets
  }

  /// The list, or one without rows while it is read for the first time.
  private var shownList: ConversationListSnapshot {
    list.isLoading ? ConversationListSnapshot(rows: []) : list.snapshot
  }

  /// Follows the engine until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.list.run() }
      group.addTask { await self.link.run() }
      group.addTask { await self.notice.run() }
      group.addTask { await self.imports.run() }
      group.addTask { await self.followOutbox() }
      group.addTask { await self.held.run() }
      for await window in windows {
        group.addTask { await window.run() }
      }
    }
  }

  private func followOutbox() async {
    for await health in client.outbox.healthChanges() {
      outbox = OutboxReading(health, now: environment.now())
      oldest = health.oldest
      first.explain(oldest: oldest)
      second?.explain(oldest: oldest)
    }
  }

  /// Calls `write` with the present snapshot and after each change.
  func show(_ write: @MainActor (PhoneSnapshot) -> Void) async {
    await follow {
      snapshot
    } until: {
      write($0)
      return false
    }
  }

  /// Calls `isDone` with the value of `read`, now and after each change, until it returns true. Changes in one turn
  /// give one call.
  private func follow<Value>(_ read: () -> Value, until isDone: (Value) -> Bool) async {
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    change.yield()
    for await _ in changes {
      if isDone(withObservationTracking(read) { change.yield() }) { return }
    }
  }

  /// Opens a conversation in the first window, if that window has no place yet.
  func openFirst(_ id: ConversationID) { first.appear(id) }

  func rest() {
    first.rest()
    second?.rest()
  }

  func perform(_ intent: PhoneIntent) async {
    let window = window(intent.window)
    switch intent.type {
    case .open:
      if let id = intent.conversation {
        window.open(ConversationID(rawValue: id), at: intent.message.map(MessageID.init(rawValue:)))
      }
    case .search: window.search.search(intent.text ?? "")
    case .moreHits: window.search.loadMore()
    case .searchAgain: window.search.retry()
    case .back: window.back()
    case .appear: window.appear(intent.conversation.map(ConversationID.init(rawValue:)))
    case .loadOlder: window.current?.timeline.loadOlder()
    case .goTo: if let message = intent.message { window.goTo(MessageID(rawValue: message)) }
    case .loadNewer: window.current?.timeline.loadNewer()
    case .loadNewest: window.current?.timeline.loadNewest()
    case .scroll: window.scroll(intent)
    case .reload: reload(intent, in: window)
    case .panel: window.setPanel(isOpen: intent.isOn ?? true)
    case .rest: window.rest()
    case .close: window.close()
    case .importHistory:
      if let file = intent.file {
        imports.bring(URL(filePath: file), name: intent.name ?? "The file")
      }
    case .closeImport: imports.close()
    case .info: if let message = intent.message { window.show(info: MessageID(rawValue: message)) }
    case .retry, .takeBack, .cancel, .delete, .react, .continueReply, .retryReply, .stopReply,
      .regenerateReply,
      .keepEarlierReply, .restoreReply:
      await tapped(intent)
    case .retryConversation:
      if let id = intent.conversation {
        await attempt { try await client.conversation(ConversationID(rawValue: id)).retry() }
      }
    case .newChat:
      if let assistant { await attempt { window.open(try assistant.beginChat()) } }
    case .rename:
      if let id = intent.conversation {
        await attempt { try client.conversation(ConversationID(rawValue: id)).setTitle(intent.text) }
      }
    case .deleteConversation, .undoDeletion, .askDeleteAll, .askEmpty, .undoEmptying, .deleteAll:
      await delete(intent, in: window)
    case .attach: await window.attach(intent)
    case .download:
      if let checksum = intent.attachment {
        await attempt { try await client.download(ChatAttachment.Checksum(rawValue: checksum)) }
      }
    case .decide: held.isWanted = true
    case .answer:
      held.isWanted = false
      if let answer = intent.answer { await attempt { try client.outbox.answerHeld(answer) } }
    case .network: await setNetwork(isUp: intent.isUp ?? true)
    case .send:
      if let assistant, isAlone(assistant, intent.conversation) {
        await window.ask(intent, assistant)
      } else if let (text, id) = window.send(intent), let conversation = intent.conversation {
        await sent(text, id, in: ConversationID(rawValue: conversation))
      }
    case .stopWaiting: await stopWaiting(intent)
    case .edit, .focus, .discard, .undoDiscard, .keepDraft, .beginEdit, .reply, .cancelEdit,
      .turnEditIntoNew, .versions, .restoreVersion, .detach:
      window.perform(intent)
    }
    handled = max(handled, intent.number ?? 0)
  }

  /// Requests an answer to a message that calls an assistant.
  private func sent(_ text: String, _ id: MessageID, in conversation: ConversationID) async {
    if PhoneAssistant.isCalled(by: text) {
      // The assistant of another member answers, on that member's phone.
      await attempt {
        try client.conversation(conversation).beginProcessing(RequestID(rawValue: id.rawValue))
      }
    }
  }

  private func isAlone(_ assistant: PhoneAssistant, _ conversation: String?) -> Bool {
    client.isSame(assistant.conversation, conversation)
      || list.rows.first { client.isSame($0.id, conversation) }.map(assistant.isAlone) == true
  }

  private func stopWaiting(_ intent: PhoneIntent) async {
    guard let conversation = intent.conversation, let question = intent.message else { return }
    await attempt {
      try client.conversation(ConversationID(rawValue: conversation))
        .endProcessing(RequestID(rawValue: question))
    }
  }

  /// Reads a conversation or the list again, after a failed read.
  private func reload(_ intent: PhoneIntent, in window: PhoneWindow) {
    if intent.conversation == nil {
      list.reload()
    } else if let current = window.current, client.isSame(current.id, intent.conversation) {
      current.timeline.reload()
    }
  }

  /// The window with a number. The second window is made at the first intent for it.
  private func window(_ number: Int?) -> PhoneWindow {
    guard number == Self.secondWindow else { return first }
    if let second { return second }
    let new = PhoneWindow(client, Self.secondWindow)
    new.explain(oldest: oldest)
    willRun.yield(new)
    second = new
    return new
  }

  /// Performs a choice that a tap on a message offers (rules O8, O9, O14).
  private func tapped(_ intent: PhoneIntent) async {
    guard let message = intent.message.map(MessageID.init(rawValue:)) else { return }
    if intent.type == .react { return await attempt { try react(intent, to: message) } }
    guard let kind = MessageAction.Kind(rawValue: intent.type.rawValue) else { return }
    await attempt {
      // The text of an assistant's model ends with the assistant's own answer.
      if kind == .stopReply, let assistant { return try await assistant.stopReply(message) }
      try await MessageActions.perform(kind, on: client.message(message)) { [assistant] kind, message in
        try await assistant?.write(kind, message)
      }
    }
  }

  private func react(_ intent: PhoneIntent, to message: MessageID) throws {
    guard let value = intent.text else { return }
    if intent.isOn ?? true {
      try client.message(message).react(value)
    } else {
      try client.message(message).unreact(value)
    }
  }

  /// Runs an action. The error of a late or failed action is shown in its own words.
  func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      notice.say((error as? ChatError)?.message ?? "The intent failed.")
    }
  }

  private func setNetwork(isUp: Bool) async {
    path.set(isUp: isUp)
    // A message that the user sends after turning the switch must not be sent through the closing connection.
    if !isUp {
      await follow {
        link.connectivity
      } until: {
        $0 == .offline
      }
    }
  }
}

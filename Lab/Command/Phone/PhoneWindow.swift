import Foundation
import Holdfast
import HoldfastPresenters
import Observation

/// One window of a phone's app, and its open contents. The window's place is restored at the next launch.
@MainActor @Observable final class PhoneWindow {
  /// A sheet that may cover the screen, and is restored at the next launch.
  enum Sheet: Codable, Hashable {
    case info(MessageID), versions
  }

  private(set) var current: OpenConversation?
  /// The window's place. A phone has only the list and a conversation.
  private let scene: SceneModel<Never, Sheet>
  private var versions: [VersionReading]?
  private var fileProblem: String?
  private var hit: OpenedHit?
  /// The prompt whether to delete all conversations, while it covers the screen.
  var deletion: DeletionQuestion?
  /// The oldest waiting message. It is explained while the user asks about no other message.
  @ObservationIgnored private var oldest: MessageID?
  @ObservationIgnored private var openedHits = 0
  @ObservationIgnored private var bodies = MessageBodies()
  @ObservationIgnored let search: SearchModel
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let why: ExplanationModel
  @ObservationIgnored private var warm: [ConversationID: OpenConversation] = [:]
  @ObservationIgnored private let opened: AsyncStream<OpenConversation>
  @ObservationIgnored private let willOpen: AsyncStream<OpenConversation>.Continuation

  /// - Parameter number: the window's number, the same at each launch.
  init(_ client: ChatClient, _ number: Int) {
    self.client = client
    scene = SceneModel(client, SceneID(rawValue: "window-\(number)"))
    why = ExplanationModel(client)
    search = SearchModel(client)
    (opened, willOpen) = AsyncStream.makeStream()
    showConversation()
    scene.resolve(sheet: resolved)
    why.show(info)
  }

  /// The sheet, if it still has something to show. Nil when the message of an Info sheet is gone, or no earlier
  /// texts are left.
  private func resolved(_ sheet: Sheet) -> Sheet? {
    switch sheet {
    case .info(let id):
      let rows = current?.timeline.snapshot.rows ?? []
      return rows.contains { $0.id == id || $0.operation?.id == id } ? sheet : nil
    case .versions:
      versions = current?.composer.versions().map(VersionReading.init)
      return versions?.isEmpty == false ? sheet : nil
    }
  }

  private var info: MessageID? {
    if case .info(let message) = scene.state.sheet { message } else { nil }
  }

  /// - Parameter sheets: the sheets that cover every window.
  func snapshot(_ sheets: Set<CoveringSheet>) -> PhoneSnapshot.Window {
    let shown = current?.shown
    return PhoneSnapshot.Window(
      conversation: shown, messages: MessagePresenter(client).present(shown?.rows ?? []),
      bodies: bodies.bodies(of: shown?.rows ?? [], client.configuration.texts),
      content: current.map { PresentedContent($0.timeline, client.configuration.texts) }
        ?? PresentedContent(),
      composer: current?.composer.snapshot, info: info,
      explanation: why.explanation, explanationProblem: why.problem?.message, fileProblem: fileProblem,
      versions: scene.state.sheet == .versions ? versions : nil,
      anchor: current.flatMap { scene.state.scroll[timeline: $0.id] },
      isPanelOpen: scene.state.columns == .automatic ? nil : scene.state.columns == .all,
      lost: scene.problem?.message ?? scene.notice?.text,
      search: SearchReading(search, mark: client.text(.onServer)), hit: hit,
      deletion: deletion, sheet: .shown(of: sheets.union(ownSheets)))
  }

  private var ownSheets: Set<CoveringSheet> {
    var sheets: Set<CoveringSheet> = deletion == nil ? [] : [.deletion]
    switch scene.state.sheet {
    case .versions where versions != nil: sheets.insert(.versions)
    case .info: sheets.insert(.info)
    case .versions, nil: break
    }
    return sheets
  }

  /// Follows the engine until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.why.run() }
      group.addTask { await self.scene.run() }
      group.addTask { await self.search.run() }
      group.addTask { await self.followPlace() }
      group.addTask { await self.followReading() }
      for await conversation in opened {
        group.addTask { await conversation.run() }
      }
    }
  }

  func explain(oldest: MessageID?) {
    self.oldest = oldest
    why.show(info ?? oldest)
  }

  func show(info message: MessageID?) {
    scene.state.sheet = message.map(Sheet.info)
    why.show(info ?? oldest)
  }

  func close() {
    deletion = nil
    show(info: nil)
  }

  /// Opens a conversation in a window without a place. Other windows keep theirs.
  func appear(_ id: ConversationID?) {
    guard scene.state.scroll[list: Self.list] == nil else { return }
    scene.state.scroll[list: Self.list] = 0
    if scene.state.conversation == nil, let id { open(id) }
  }

  private static let list = "conversations"

  /// - Parameter message: a message that the search has found. Nil opens the conversation where its reader left it.
  func open(_ id: ConversationID, at message: MessageID? = nil) {
    scene.dismissNotice()
    if let message { scene.state.scroll[timeline: id] = ScrollPositions.Anchor(message: message, offset: 0) }
    if current.map({ client.isSame($0.id, id.rawValue) }) != true {
      leave()
      scene.state.conversation = id
      showConversation()
    }
    guard let message, let found = search.snapshot.hits.first(where: { $0.id == message }) else { return }
    openedHits += 1
    hit = OpenedHit(found, number: openedHits)
    current?.show(message)
  }

  /// Shows a message of the open conversation, which another one quotes.
  func goTo(_ message: MessageID) {
    openedHits += 1
    hit = OpenedHit(message, number: openedHits)
    current?.show(message)
  }

  func back() {
    leave()
    scene.state.conversation = nil
    showConversation()
  }

  func scroll(_ intent: PhoneIntent) {
    guard let current, client.isSame(current.id, intent.conversation) else { return }
    // A message that is being fetched has not been shown yet.
    if let sought = hit?.message, current.shown.rows.contains(where: { $0.id == sought }) {
      hit?.number = nil
    }
    scene.state.scroll[timeline: current.id] = intent.message.map {
      ScrollPositions.Anchor(message: MessageID(rawValue: $0), offset: intent.offset ?? 0)
    }
  }

  func setPanel(isOpen: Bool) { scene.state.columns = isOpen ? .all : .detailOnly }

  /// Shows the scene's conversation. A conversation that was shown before keeps its state.
  private func showConversation() {
    guard let id = scene.state.conversation else {
      current = nil
      return
    }
    guard current?.id != id else { return }
    if let there = warm.first(where: { client.isSame($0.key, id.rawValue) })?.value {
      current = there
    } else if let models = scene.openedConversation() {
      let new = OpenConversation(client, id, models)
      warm[id] = new
      willOpen.yield(new)
      current = new
    }
  }

  /// Follows the scene's conversation, which may be deleted while it is open.
  private func followPlace() async {
    let changed = Signal()
    while !Task.isCancelled {
      let place = withObservationTracking {
        scene.state.conversation
      } onChange: {
        changed.raise()
      }
      if place == nil, current != nil { showConversation() }
      await changed.wait()
    }
  }

  /// Marks the open conversation as read whenever its newest message is on the screen.
  private func followReading() async {
    let changed = Signal()
    while !Task.isCancelled {
      let open = withObservationTracking {
        current.map { (id: $0.id, newest: $0.shown.rows.last?.id, isAtEnd: !$0.shown.hasNewer) }
      } onChange: {
        changed.raise()
      }
      // A mark that cannot be stored is repaired by the next message, or by the next look.
      if let open, open.newest != nil, open.isAtEnd { try? client.conversation(open.id).markRead() }
      await changed.wait()
    }
  }

  /// Saves the window's draft and place, which are on disk when this returns (rules D4, D12, R8). Another window may
  /// write then.
  func rest() {
    current?.composer.hardSave()
    current?.composer.blur()
    // The composer reports a problem with its draft, and `lost` reports a place that cannot be stored.
    try? client.hardSave()
  }

  private func leave() {
    current?.composer.hardSave()
    current?.composer.blur()
    scene.state.sheet = nil
    (versions, fileProblem, hit) = (nil, nil, nil)
  }
}

/// The intents for the composer.
extension PhoneWindow {
  func perform(_ intent: PhoneIntent) {
    switch intent.type {
    case .edit: edit(intent)
    case .focus: composer(of: intent)?.focus()
    case .discard: composer(of: intent)?.discard()
    case .undoDiscard: composer(of: intent)?.undoDiscard()
    case .keepDraft: composer(of: intent)?.keepDraft()
    case .beginEdit:
      if let message = intent.message { composer(of: intent)?.beginEdit(MessageID(rawValue: message)) }
    case .reply: composer(of: intent)?.reply(to: intent.message.map(MessageID.init(rawValue:)))
    case .cancelEdit: composer(of: intent)?.cancelEdit()
    case .turnEditIntoNew: composer(of: intent)?.turnEditIntoNewMessage()
    case .versions:
      versions = composer(of: intent)?.versions().map(VersionReading.init)
      if versions != nil { scene.state.sheet = .versions }
    case .restoreVersion:
      scene.state.sheet = nil
      if let version = intent.version { composer(of: intent)?.restoreVersion(version) }
    case .detach: if let id = intent.attachment { composer(of: intent)?.removeAttachment(id) }
    default: break
    }
  }

  /// Attaches a file to the conversation in which it was picked, even if another one is open by now.
  func attach(_ intent: PhoneIntent) async {
    guard let file = intent.file,
      let (id, picked) = warm.first(where: { client.isSame($0.key, intent.conversation) })
    else { return }
    let composer = picked.composer
    let mediaType = intent.mediaType.flatMap { $0.contains(";") ? nil : $0 }
    let added = await composer.attach(URL(filePath: file), name: intent.name, mediaType: mediaType)
    guard current?.id == id else { return }
    // Kept here, because the next successful save clears the composer's own problem.
    fileProblem = added == nil ? composer.snapshot.problem : nil
  }

  /// The composer that an intent is about. Nil when its conversation has left the window meanwhile.
  private func composer(of intent: PhoneIntent) -> ComposerModel? {
    current.flatMap { client.isSame($0.id, intent.conversation) ? $0.composer : nil }
  }

  /// The composer that an intent is about, if it still has the text field's message. Nil when the edit of a message
  /// was ended in the other window meanwhile: its text belongs to no other message.
  private func composer(typedInto intent: PhoneIntent) -> ComposerModel? {
    composer(of: intent).flatMap { $0.snapshot.editing?.rawValue == intent.editing ? $0 : nil }
  }

  /// Applies the typed text. A text for a conversation that has left the window meanwhile is ignored: that draft was
  /// stored when the conversation left.
  private func edit(_ intent: PhoneIntent) {
    guard let composer = composer(typedInto: intent), let text = intent.text else { return }
    var selection: TextRange?
    if let start = intent.selectionStart, let end = intent.selectionEnd {
      selection = TextRange(start: start, end: end)
    }
    if text != composer.snapshot.text { fileProblem = nil }
    composer.edit(text, selection: selection, generation: intent.generation)
  }

  /// Sends the text. Returns the sent text and its message. Nil when nothing was sent, or when it was the edit of a
  /// message.
  func send(_ intent: PhoneIntent) -> (text: String, id: MessageID)? {
    fileProblem = nil
    edit(intent)
    // Pressing Return in an empty text field is not an error.
    guard let composer = composer(typedInto: intent), composer.snapshot.canSend else { return nil }
    let (text, isEdit) = (composer.snapshot.text, composer.snapshot.editing != nil)
    guard let id = composer.send() else { return nil }
    // The sent message is at the end of the timeline, so the timeline moves there.
    if let timeline = current?.timeline, timeline.snapshot.hasNewer { timeline.loadNewest() }
    return isEdit ? nil : (text, id)
  }

  /// Asks the assistant the text of the open conversation. During an edit, sends the edit.
  func ask(_ intent: PhoneIntent, _ assistant: PhoneAssistant) async {
    fileProblem = nil
    edit(intent)
    guard let composer = composer(typedInto: intent), composer.snapshot.canSend else { return }
    guard let current, await assistant.ask(composer, in: current.id) else { return }
    if let timeline = self.current?.timeline, timeline.snapshot.hasNewer { timeline.loadNewest() }
  }
}

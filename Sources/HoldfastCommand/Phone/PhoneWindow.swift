import Foundation
import Holdfast
import Observation

/// One window of a phone's app: what is open in it.
@MainActor @Observable final class PhoneWindow {
  /// One conversation that is or was in the window. It stays warm, so that going back costs nothing.
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

  private(set) var current: Open?
  private var info: MessageID?
  private var versions: [VersionReading]?
  private var fileProblem: String?
  /// The oldest message that waits, which is explained as long as no other one is asked about.
  @ObservationIgnored private var oldest: MessageID?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let why: ExplanationModel
  @ObservationIgnored private var warm: [ConversationID: Open] = [:]
  @ObservationIgnored private let opened: AsyncStream<Open>
  @ObservationIgnored private let willOpen: AsyncStream<Open>.Continuation

  init(_ client: ChatClient) {
    self.client = client
    why = ExplanationModel(client)
    (opened, willOpen) = AsyncStream.makeStream()
  }

  var snapshot: PhoneSnapshot.Window {
    PhoneSnapshot.Window(
      conversation: current?.timeline.snapshot, composer: current?.composer.snapshot, info: info,
      explanation: why.explanation, fileProblem: fileProblem, versions: versions)
  }

  /// Follows the engine until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.why.run() }
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
    info = message
    why.show(info ?? oldest)
  }

  func close() {
    versions = nil
    show(info: nil)
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

  func back() {
    leave()
    current = nil
  }

  /// The draft in the window is on disk when this returns (SPEC D4, D12), and another window may write.
  func rest() {
    current?.composer.hardSave()
    current?.composer.blur()
  }

  private func leave() {
    rest()
    (versions, fileProblem) = (nil, nil)
  }
}

/// What is done in the composer.
extension PhoneWindow {
  func perform(_ intent: PhoneIntent) {
    switch intent.type {
    case .edit: edit(intent)
    case .send:
      fileProblem = nil
      send(intent)
    case .focus: composer(of: intent)?.focus()
    case .discard: composer(of: intent)?.discard()
    case .undoDiscard: composer(of: intent)?.undoDiscard()
    case .keepDraft: composer(of: intent)?.keepDraft()
    case .beginEdit:
      if let message = intent.message { composer(of: intent)?.beginEdit(MessageID(rawValue: message)) }
    case .reply: composer(of: intent)?.reply(to: intent.message.map(MessageID.init(rawValue:)))
    case .cancelEdit: composer(of: intent)?.cancelEdit()
    case .turnEditIntoNew: composer(of: intent)?.turnEditIntoNewMessage()
    case .versions: versions = composer(of: intent)?.versions().map(VersionReading.init)
    case .restoreVersion:
      versions = nil
      if let version = intent.version { composer(of: intent)?.restoreVersion(version) }
    case .detach: if let id = intent.attachment { composer(of: intent)?.removeAttachment(id) }
    default: break
    }
  }

  /// The file belongs to the conversation in which it was picked, also when another one is open by now.
  func attach(_ intent: PhoneIntent) async {
    guard let file = intent.file, let id = intent.conversation.map(ConversationID.init(rawValue:)),
      let composer = warm[id]?.composer
    else { return }
    let mediaType = intent.mediaType.flatMap { $0.contains(";") ? nil : $0 }
    let added = await composer.attach(URL(filePath: file), name: intent.name, mediaType: mediaType)
    guard current?.id == id else { return }
    // Kept here, for the next save that succeeds ends the composer's own problem.
    fileProblem = added == nil ? composer.snapshot.problem : nil
  }

  /// The composer that an intent is about. Nil when it has left the window meanwhile.
  private func composer(of intent: PhoneIntent) -> ComposerModel? {
    current.flatMap { $0.id.rawValue == intent.conversation ? $0.composer : nil }
  }

  /// The same, if what the text field shows is still what it holds: the edit of a message may have been ended in the
  /// other window, and its text belongs to no other message.
  private func composer(typedInto intent: PhoneIntent) -> ComposerModel? {
    composer(of: intent).flatMap { $0.snapshot.editing?.rawValue == intent.editing ? $0 : nil }
  }

  /// What was typed into a conversation that has left the window meanwhile was stored when it left.
  private func edit(_ intent: PhoneIntent) {
    guard let composer = composer(typedInto: intent), let text = intent.text else { return }
    var selection: TextSelection?
    if let start = intent.selectionStart, let end = intent.selectionEnd {
      selection = TextSelection(start: start, end: end)
    }
    if text != composer.snapshot.text { fileProblem = nil }
    composer.edit(text, selection: selection, generation: intent.generation)
  }

  private func send(_ intent: PhoneIntent) {
    edit(intent)
    // Return in an empty text field is no mistake to complain about.
    if let composer = composer(typedInto: intent), composer.snapshot.canSend { composer.send() }
  }
}

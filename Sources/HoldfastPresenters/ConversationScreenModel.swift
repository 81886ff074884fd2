import Holdfast
import Observation

/// A row between its neighbours.
package struct RowPlace: Identifiable, Hashable, Sendable {
  package var id: MessageID
  package var before: MessageID?
  package var next: MessageID?
}

/// An assistant that answers the messages sent on a screen.
package struct AskedAssistant: Sendable {
  package var assistant: UserID
  /// Begins to write an answer, and does not wait for its end.
  package var answer: @Sendable (ReplyHandle, ConversationID) async -> Void

  package init(
    _ assistant: UserID, answer: @escaping @Sendable (ReplyHandle, ConversationID) async -> Void
  ) {
    (self.assistant, self.answer) = (assistant, answer)
  }
}

/// The place of a conversation in its window. It is restored at the next launch.
@MainActor package protocol KeptPlace: AnyObject {
  /// The line where the reader is. Nil: at the end.
  var anchor: ScrollPositions.Anchor? { get set }
  /// The message that a sheet explains.
  var explained: MessageID? { get set }
}

/// One conversation on a screen: its models, the look of its rows, and its scroll movements. A view draws it.
@MainActor @Observable package final class ConversationScreenModel {
  /// A movement of the timeline, with a number, so that two equal movements are distinct.
  package struct Movement: Equatable, Sendable {
    package var number: Int
    package var move: TimelineScroll.Move
  }

  package let client: ChatClient
  package let conversation: ConversationID
  @ObservationIgnored package let timeline: ConversationModel
  @ObservationIgnored package let composer: ComposerModel
  @ObservationIgnored package let connection: ConnectionModel
  @ObservationIgnored package let messageActions: MessageActions
  @ObservationIgnored package let held: HeldModel
  @ObservationIgnored package let why: ExplanationModel
  /// The last movement that the view has to carry out. Nil before the first one.
  package private(set) var movement: Movement?
  private var scroll = TimelineScroll()
  @ObservationIgnored private let presenter: MessagePresenter
  /// The assistant that answers the messages sent here. Nil: they are plain messages.
  @ObservationIgnored private let asked: AskedAssistant?
  /// The newest message that was read here.
  @ObservationIgnored private var read: MessageID?

  /// The message that is sought, until the timeline has moved to it.
  @ObservationIgnored private var sought: MessageID?
  @ObservationIgnored private let place: (any KeptPlace)?
  /// Whether the place of the last launch is still to be shown.
  @ObservationIgnored private var isRestoring: Bool
  /// The rows that are visible, in no particular order.
  @ObservationIgnored private var visible: Set<MessageID> = []

  /// Opens a conversation. The composer's draft is read, and nothing else before the first access.
  ///
  /// - Parameters:
  ///   - message: a message that is sought. Nil: the place where the reader was, or the newest.
  ///   - replies: the actions on replies that the writer can carry out.
  ///   - place: the window's state of the conversation. Nil: none is kept.
  package init(
    _ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil,
    place: (any KeptPlace)? = nil, writer: MessageActions.Writer? = nil,
    replies: Set<MessageAction.Kind> = MessageAction.Kind.ofReplies, asked: AskedAssistant? = nil
  ) {
    (self.client, self.conversation, self.asked, self.place) = (client, conversation, asked, place)
    timeline = ConversationModel(client, conversation, around: message ?? place?.anchor?.message)
    sought = message
    isRestoring = place != nil
    composer = ComposerModel(client, conversation)
    connection = ConnectionModel(client)
    held = HeldModel(client)
    messageActions = MessageActions(client, composer, held, writer: writer)
    why = ExplanationModel(client)
    presenter = MessagePresenter(client, replies: writer == nil ? [] : replies)
    if let place {
      messageActions.onInfo = { place.explained = $0 }
    }
  }

  /// The content in place of the rows, or above them.
  package var content: PresentedContent { PresentedContent(timeline, client.configuration.texts) }

  /// The rows, each with its neighbours. They change when a row comes or goes, and not when one changes.
  package var places: [RowPlace] {
    guard !timeline.isLoading else { return [] }
    let ids = timeline.rowIDs
    return ids.indices.map { index in
      RowPlace(
        id: ids[index], before: index > 0 ? ids[index - 1] : nil,
        next: index + 1 < ids.count ? ids[index + 1] : nil)
    }
  }

  /// A row and its look. Nil: it no longer exists. A reader is notified only of changes of the row and of its
  /// neighbours.
  package func message(at place: RowPlace) -> (row: MessageRow, looks: PresentedMessage)? {
    guard let row = timeline.row(place.id) else { return nil }
    let (before, next) = (place.before.flatMap(timeline.row), place.next.flatMap(timeline.row))
    return (row, presenter.present(row, after: before, before: next))
  }

  /// The text of the sheet that explains a message.
  package var explanation: String? { why.problem?.message ?? why.explanation?.sentence }

  /// The reason why a requested action failed. A view shows it, and hides nothing for it.
  package var problem: String? {
    composer.problem?.message ?? messageActions.problem?.message ?? held.problem?.message
  }

  /// Whether "Newest" is offered.
  package var offersNewest: Bool { scroll.offersNewest }

  /// The view shows other rows, or another newest one.
  package func rowsChanged() {
    guard !timeline.isLoading else { return }
    // A sought message that no longer exists is not sought again.
    let hit = sought.take().flatMap { timeline.rowIDs.contains($0) ? $0 : nil }
    let anchor = isRestoring ? place?.anchor.flatMap { timeline.row($0.message) == nil ? nil : $0 } : nil
    carryOut(scroll.show(TimelineScroll.Shown(timeline.snapshot), anchor: anchor, hit: hit))
    if isRestoring { restoreSheet() }
    isRestoring = false
    markRead()
  }

  /// Opens the sheet of the last launch, if its message still waits for something.
  private func restoreSheet() {
    guard let message = place?.explained else { return }
    let isHere = timeline.rowIDs.contains { id in
      id == message && timeline.row(id)?.isUnsent == true || timeline.row(id)?.operation?.id == message
    }
    messageActions.info = isHere ? message : nil
  }

  /// Takes the measures of the content. Growth below a reader is no movement of the reader.
  package func measured(isAtEnd: Bool, isAtStart: Bool = false, hasGrown: Bool) {
    if isAtStart, content.loadsOlder { timeline.loadOlder() }
    if hasGrown { return carryOut(scroll.grown()) }
    guard scroll.isAtEnd != isAtEnd else { return }
    scroll.scrolled(isAtEnd: isAtEnd)
    if isAtEnd { keepPlace() }
    markRead()
  }

  /// Notes the rows that are visible now.
  package func saw(_ messages: [MessageID]) {
    visible = Set(messages)
  }

  /// The reader has stopped scrolling. The window's place is kept once for each movement, and not for each line that
  /// passes.
  package func rested() { keepPlace() }

  private func keepPlace() {
    guard let place, !isRestoring, !timeline.isLoading else { return }
    guard !scroll.isAtEnd || timeline.hasNewer else { return place.anchor = nil }
    // No row may be visible while the view moves.
    guard let top = timeline.rowIDs.first(where: visible.contains) else { return }
    place.anchor = ScrollPositions.Anchor(message: top)
  }

  /// "Newest" was tapped.
  package func tapNewest() {
    switch scroll.tapNewest() {
    case .load: timeline.loadNewest()
    case .move(let move): carryOut(move)
    }
  }

  private func carryOut(_ move: TimelineScroll.Move) {
    guard move != .stay else { return }
    movement = Movement(number: (movement?.number ?? 0) + 1, move: move)
  }

  /// Sends the content of the composer, or asks the assistant with it, if that is a member. Content that cannot be
  /// sent stays there.
  package func send() {
    guard let asked, (try? client.conversation(conversation).members())?.contains(asked.assistant) == true
    else {
      return _ = composer.send()
    }
    let (composer, conversation) = (composer, conversation)
    messageActions.actionQueue.add {
      if let reply = await composer.ask(asked.assistant, takesFiles: false) {
        await asked.answer(reply, conversation)
      }
    }
  }

  /// Marks the conversation as read when the reader is at its end.
  private func markRead() {
    guard scroll.isAtEnd, !timeline.hasNewer, let last = timeline.rowIDs.last, last != read else { return }
    // A mark that cannot be stored is made with the next message.
    if (try? client.conversation(conversation).markRead(upTo: last)) != nil { read = last }
  }

  /// Follows the engine until the task is cancelled, and saves what was typed.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.timeline.run() }
      group.addTask { await self.composer.run() }
      group.addTask { await self.connection.run() }
      group.addTask { await self.messageActions.run() }
      group.addTask { await self.held.run() }
      group.addTask { await self.why.run() }
    }
    composer.hardSave()
  }
}

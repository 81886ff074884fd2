import Holdfast
import Observation

/// A row between its neighbours.
package struct RowPlace: Identifiable, Hashable, Sendable {
  package var id: MessageID
  package var before: MessageID?
  package var next: MessageID?
}

/// The measures of the row at the upper edge of a timeline, in points.
package struct RowEdge: Equatable, Sendable {
  package var message: MessageID
  /// The part of the row that is above the edge: 0 for none, 0.5 for half of it.
  package var offset: Double
  /// The height of the row.
  package var height: Double
  /// The height of the timeline's visible part.
  package var timeline: Double

  /// The measures of a row whose upper edge is at `top` in the timeline's visible part. Nil when another row is at its
  /// edge.
  package init?(_ message: MessageID, top: Double, height: Double, timeline: Double) {
    // A row that was scrolled to the edge may be a fraction of a point below it.
    guard top < 1, top + height > 0 else { return nil }
    (self.message, self.offset, self.height, self.timeline) = (
      message, max(0, -top / height), height, timeline
    )
  }
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
  /// The last movement that the view has to carry out. Nil before the first one.
  package private(set) var movement: Movement?
  private var scroll = TimelineScroll()
  @ObservationIgnored private let presenter: MessagePresenter
  /// The assistant that answers the messages sent here. Nil: they are plain messages.
  @ObservationIgnored private let asked: AskedAssistant?
  /// The newest message that was read here, and its state then: an answer is marked once more when it is complete.
  @ObservationIgnored private var read: (id: MessageID, state: MessageStatus.State)?
  /// The message that was just sent here, until it is shown.
  @ObservationIgnored private var sent: MessageID?

  /// The message that is sought, until the timeline has moved to it.
  @ObservationIgnored private var sought: MessageID?
  @ObservationIgnored private let place: (any KeptPlace)?
  /// Whether the place of the last launch is still to be shown.
  @ObservationIgnored private var isRestoring: Bool
  /// The rows that are visible, in no particular order.
  @ObservationIgnored private var visible: Set<MessageID> = []
  /// The row at the upper edge of the timeline.
  @ObservationIgnored private var edge: RowEdge?
  /// The place that the view has been sent to, until the height of its row is known.
  @ObservationIgnored private var unmeasured: ScrollPositions.Anchor?
  /// The rows at the last call of ``rowsChanged()``.
  @ObservationIgnored private var shownIDs: [MessageID] = []

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
    messageActions = MessageActions(composer, writer: writer)
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

  /// The reason why a requested action failed. A view shows it, and hides nothing for it.
  package var problem: String? {
    composer.problem?.message ?? messageActions.problem?.message
  }

  /// The conversation as a place for Handoff and links. Nil until it was read, and for one that does not exist.
  package var activity: SceneActivity? {
    guard !timeline.isLoading, timeline.exists else { return nil }
    return SceneActivity(title: timeline.title, conversation: timeline.id)
  }

  /// Whether "Newest" is offered.
  package var offersNewest: Bool { scroll.offersNewest }

  /// The view shows other rows, or another newest one.
  package func rowsChanged() {
    guard !timeline.isLoading else { return }
    // A sought message that no longer exists is not sought again.
    let hit = sought.take().flatMap { timeline.rowIDs.contains($0) ? $0 : nil }
    let anchor = isRestoring ? place?.anchor.flatMap { timeline.row($0.message) == nil ? nil : $0 } : nil
    let isOwn = sent.map { timeline.rowIDs.contains($0) } ?? false
    if isOwn { sent = nil }
    let move = scroll.show(
      TimelineScroll.Shown(timeline.snapshot, isOwn: isOwn), anchor: anchor, hit: hit)
    carryOut(move == .stay ? placeOfReader() : move)
    shownIDs = timeline.rowIDs
    if isRestoring { restoreSheet() }
    isRestoring = false
    markRead()
  }

  /// The line under a row has changed.
  package func lineChanged(of message: MessageID) {
    if message == timeline.rowIDs.last { markRead() }
  }

  /// Opens the sheet of the last launch, if its message still waits for something.
  private func restoreSheet() {
    guard let message = place?.explained else { return }
    let isHere = timeline.rowIDs.contains { id in
      id == message && timeline.row(id)?.isUnsent == true || timeline.row(id)?.operation?.id == message
    }
    messageActions.info = isHere ? message : nil
  }

  /// The movement that keeps the reader's line where it is, after rows above it have come or gone. A scroll view keeps
  /// its distance from the first row instead.
  private func placeOfReader() -> TimelineScroll.Move {
    let ids = timeline.rowIDs
    guard !scroll.isAtEnd, let top = top(of: shownIDs.filter(Set(ids).contains)),
      let before = shownIDs.firstIndex(of: top), let now = ids.firstIndex(of: top),
      ids[..<now] != shownIDs[..<before]
    else { return .stay }
    return .to(anchor(at: top))
  }

  /// The uppermost visible row. Nil while the view moves, when no row may be visible.
  private func top(of ids: [MessageID]) -> MessageID? {
    if let edge, visible.isEmpty || visible.contains(edge.message), ids.contains(edge.message) {
      return edge.message
    }
    return ids.first(where: visible.contains)
  }

  /// Takes the measures of the content. Growth below a reader is no movement of the reader.
  ///
  /// - Parameters:
  ///   - isAtStart: whether less than half a screen is above the reader.
  ///   - isNearEnd: whether less than a screen is below the reader.
  package func measured(
    isAtEnd: Bool, isAtStart: Bool = false, isNearEnd: Bool = false, hasGrown: Bool
  ) {
    if isAtStart, content.loadsOlder { timeline.loadOlder() }
    // What loads below was not seen: the reader is at the end of what is shown, and not at the newest message.
    let isAtNewest = isAtEnd && !timeline.hasNewer
    defer { if isNearEnd || isAtEnd { timeline.loadNewer() } }
    if hasGrown { return carryOut(scroll.grown()) }
    guard scroll.isAtEnd != isAtNewest else { return }
    scroll.scrolled(isAtEnd: isAtNewest)
    if isAtNewest { keepPlace() }
    markRead()
  }

  /// Notes the rows that are visible now.
  package func saw(_ messages: [MessageID]) {
    visible = Set(messages)
  }

  /// Takes the measures of the row at the upper edge.
  package func reached(_ edge: RowEdge) {
    self.edge = edge
    guard let anchor = unmeasured, anchor.message == edge.message else { return }
    unmeasured = nil
    if anchor.offset != edge.offset { carryOut(.to(anchor)) }
  }

  /// A row is no longer at the upper edge. No other may be: a button is above the first row.
  package func left(_ message: MessageID) {
    if edge?.message == message { edge = nil }
  }

  /// The point of a row, and of the timeline, that are at the same height once the timeline shows a place: 0 is the
  /// upper edge of both.
  package func alignment(at anchor: ScrollPositions.Anchor) -> Double {
    guard anchor.offset > 0 else { return 0 }
    guard let edge, edge.message == anchor.message, edge.timeline != edge.height else {
      unmeasured = anchor
      return 0
    }
    return -anchor.offset * edge.height / (edge.timeline - edge.height)
  }

  private func anchor(at message: MessageID) -> ScrollPositions.Anchor {
    ScrollPositions.Anchor(message: message, offset: edge?.message == message ? edge?.offset ?? 0 : 0)
  }

  /// The reader has stopped scrolling. The window's place is kept once for each movement, and not for each line that
  /// passes.
  package func rested() {
    unmeasured = nil
    keepPlace()
  }

  private func keepPlace() {
    guard let place, !isRestoring, !timeline.isLoading else { return }
    guard !scroll.isAtEnd else { return place.anchor = nil }
    guard let top = top(of: timeline.rowIDs) else { return }
    place.anchor = anchor(at: top)
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
    unmeasured = nil
    movement = Movement(number: (movement?.number ?? 0) + 1, move: move)
  }

  /// Sends the content of the composer, or asks the assistant with it, if that is a member. Content that cannot be
  /// sent stays there.
  package func send() {
    guard let asked, (try? client.conversation(conversation).members())?.contains(asked.assistant) == true
    else {
      return sent = composer.send()
    }
    // The text is taken at the tap. The answer waits for its turn.
    guard let question = composer.beginAsking(asked.assistant, takesFiles: false) else { return }
    sent = question.id
    messageActions.actionQueue.add { [conversation] in await asked.answer(question.reply(), conversation) }
  }

  /// Tries a conversation again that the server has refused.
  package func retryConversation() {
    let conversation = client.conversation(conversation)
    messageActions.actionQueue.add { try await conversation.retry() }
  }

  /// Marks the conversation as read when the reader is at its end.
  private func markRead() {
    guard scroll.isAtEnd, !timeline.hasNewer, let last = timeline.rowIDs.last, let row = timeline.row(last),
      read?.id != last || read?.state != row.status.state
    else { return }
    // A mark that cannot be stored is made with the next message.
    guard (try? client.conversation(conversation).markRead(upTo: last)) != nil else { return }
    read = (last, row.status.state)
  }

  /// Follows the engine until the task is cancelled, and saves what was typed.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.timeline.run() }
      group.addTask { await self.composer.run() }
      group.addTask { await self.connection.run() }
      group.addTask { await self.messageActions.run() }
    }
    composer.hardSave()
  }
}

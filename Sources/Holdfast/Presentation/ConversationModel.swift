import HoldfastCore
import HoldfastStore
import Observation

/// The timeline of one conversation, for a view: the newest rows, or those around one message, and more on demand.
///
/// ```swift
/// ConversationModel(client, conversation)                          // the newest
/// ConversationModel(client, conversation, around: anchor.message)  // where its reader was, or what was searched for
/// ```
///
/// A view distinguishes loading, failed, empty and missing:
///
/// ```swift
/// if model.isLoading {
///   Skeleton()
/// } else if let problem = model.problem {
///   Text(problem.message)
/// } else if let note = model.snapshot.note {
///   Text(note)                                    // "No messages yet", or "Conversation not found"
/// } else {
///   ForEach(model.rowIDs, id: \.self) { id in Bubble(model: model, id: id) }
/// }
/// ```
///
/// A view that does not ask whether the model loads has the rows in its first frame: the first access reads them.
///
/// Each value of the snapshot is a property of the model too, observed apart from the others: a view that has read
/// `model.title` is not evaluated again for a new message. ``rowIDs`` and ``row(_:)`` do the same for rows, so that a
/// token of a reply concerns its own row alone:
///
/// ```swift
/// ForEach(model.rowIDs, id: \.self) { id in Bubble(model: model, id: id) }  // its body reads model.row(id)
/// ```
@MainActor @Observable @dynamicMemberLookup public final class ConversationModel {
  /// The timeline's state, for the view. The first access reads it, unless ``run()`` has done so.
  public var snapshot: ConversationSnapshot {
    look()
    return shown.value
  }
  /// The reason why the timeline could not be read (rule V5). The snapshot is then an earlier one, or has no rows and
  /// no note. Nil once the timeline is read again, after the next change or by ``reload()``.
  public var problem: ChatError? {
    look()
    return shown.problem?.localized(with: client.configuration.texts)
  }
  /// Whether the timeline has not been read yet, for a skeleton (rule H7). A view that asks this before it accesses
  /// the snapshot leaves the first read to ``run()``, which keeps it off the main actor. False once the timeline was
  /// read or could not be read, and then permanently.
  public var isLoading: Bool { shown.isLoading }

  /// The IDs of the shown messages, oldest first. They change when a message comes or goes, and not when one changes.
  public var rowIDs: [MessageID] {
    look()
    return shown[\.rowIDs]
  }

  /// The row of a shown message. Nil when the message is not shown.
  public func row(_ id: MessageID) -> MessageRow? {
    look()
    return rows[id]
  }

  /// One value of ``snapshot``, observed apart from the others.
  public subscript<Value: Equatable>(
    dynamicMember path: KeyPath<ConversationSnapshot, Value> & Sendable
  ) -> Value {
    look()
    return shown[path]
  }

  @ObservationIgnored package let client: ChatClient
  @ObservationIgnored private let rows = ObservedRows()
  @ObservationIgnored private let shown: ShownSnapshot<ConversationSnapshot>
  @ObservationIgnored private var span: TimelineSpan
  @ObservationIgnored private let spanChanged = Signal()
  /// The states of the timeline from the last read on, for ``run()``. Nil while it does not run.
  @ObservationIgnored private var states: (span: TimelineSpan, iterator: Timeline.Iterator)?
  @ObservationIgnored private var isRunning = false
  private typealias Timeline = SnapshotSequence<ConversationSnapshot>
  /// Whether the next page from the server is to be shown.
  @ObservationIgnored private var awaitsOlder = false

  /// A model of one timeline. Costs nothing before the first access, which reads the rows of the first frame.
  ///
  /// - Parameter client: the client that has the conversation.
  /// - Parameter conversation: the conversation to show. It need not exist yet.
  /// - Parameter message: the message to show, with fifty messages before it and a hundred after it. Nil for the
  ///   newest messages. The newest messages are also shown while the message is not here. If the server has it, it is
  ///   fetched with everything behind it, and then shown.
  public init(_ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil) {
    self.client = client
    span = message.map(TimelineSpan.init(around:)) ?? TimelineSpan()
    shown = ShownSnapshot(.unread(conversation), isUnread: true)
  }

  /// Makes a model of a timeline that has been read already.
  package init(_ client: ChatClient, _ snapshot: ConversationSnapshot, _ span: TimelineSpan) {
    self.client = client
    self.span = span
    shown = ShownSnapshot(snapshot, isUnread: false)
    fitSpan()
    rows.show(snapshot.rows)
  }

  /// Shows a hundred more messages, from this device or else from the server: ``ConversationSnapshot/older`` reports
  /// which, and the progress. The shown rows keep their IDs. A thousand rows are shown at most: the newest are then
  /// unloaded, and ``ConversationSnapshot/hasNewer`` is true. Does nothing without older messages, or while the
  /// server is being asked.
  ///
  /// ```swift
  /// switch model.older {
  /// case .failed: Button("Try again", action: model.loadOlder)
  /// case .onDevice, .onServer: ProgressView().onAppear(perform: model.loadOlder)
  /// default: if let note = model.noteAbove { Text(note) }
  /// }
  /// ```
  ///
  /// A page from the server is on this device's disk before it is shown. A page that is requested offline comes when
  /// the device is online.
  public func loadOlder() {
    switch snapshot.older {
    case .onDevice: span.loadOlder(before: shown.stored.rowIDs)
    case .onServer, .offline, .failed:
      awaitsOlder = client.history.fetchOlder(in: shown.stored.id)
    case .loading, .removed, .none: return
    }
    reload()
  }

  /// Shows a hundred more messages at the end, for a view that is scrolled near it. Beyond a thousand rows, the
  /// oldest are unloaded. Does nothing when the end is shown.
  public func loadNewer() {
    guard snapshot.hasNewer else { return }
    span.loadNewer(behind: shown.stored.rowIDs)
    reload()
  }

  /// Shows the newest messages, and follows new ones: for a button that leads to the end.
  public func loadNewest() {
    guard span != TimelineSpan() else { return }
    span = TimelineSpan()
    reload()
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    isRunning = true
    defer { (isRunning, states) = (false, nil) }
    await readFirst()
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.spanChanged.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Reads the timeline now, for a button beside ``problem``.
  public func reload() {
    read()
    spanChanged.raise()
  }

  private func look() { if shown.isUnread { read() } }

  private func read() {
    let states = (span, makeIterator())
    if isRunning { self.states = states }
    if let result = states.1.read() { show(result) }
  }

  private func makeIterator() -> Timeline.Iterator {
    client.reader.timeline(of: shown.stored.id, in: span).makeAsyncIterator()
  }

  private func readFirst() async {
    let (client, id, span) = (client, shown.stored.id, span)
    await shown.readFirst(by: client) { () throws(ChatError) in
      try client.reader.conversation(id, in: span)
    }
    rows.show(shown.stored.rows)
    fitSpan()
    // A conversation that was never loaded is loaded at its first read.
    if shown.stored.exists, shown.stored.rows.isEmpty, shown.problem == nil { loadOlder() }
  }

  /// Fits the span to the messages that were read. If the message that the span should lie around is not here, it is
  /// requested, and the span moves there once it has come. Returns whether the span has changed.
  @discardableResult private func fitSpan() -> Bool {
    let snapshot = shown.stored
    if awaitsOlder, !snapshot.older.isAwaited {
      awaitsOlder = false
      // Without this, the page would be behind the edge of a span that is full.
      if snapshot.hasOlder, span.sought == nil {
        span.loadOlder(before: snapshot.rowIDs)
        return true
      }
    }
    if let sought = span.sought {
      guard let found = client.reader.idHere(of: sought, in: snapshot.id) else { return false }
      span = TimelineSpan(around: found)
      return true
    }
    let missing = span.anchor.flatMap { snapshot.exists && !snapshot.rowIDs.contains($0) ? $0 : nil }
    let hasChanged = span.fit(snapshot)
    if let missing, client.history.fetchOlder(in: snapshot.id, upTo: missing) { span.sought = missing }
    return hasChanged
  }

  private func follow() async {
    let states = states.take().flatMap { $0.span == span ? $0.iterator : nil } ?? makeIterator()
    while let step = await states.nextStep(isolation: MainActor.shared) {
      let result: Result<ConversationSnapshot, ChatError>? =
        switch step {
        case .state(let result): result
        case .grown(let replies): showGrowth(of: replies) ? nil : states.read()
        }
      if let result, show(result) { spanChanged.raise() }
    }
  }

  /// Shows the growth of replies, at a cost that does not depend on the number of rows. Returns false when the
  /// timeline must be read.
  private func showGrowth(of replies: Set<MessageID>) -> Bool {
    guard let shown = rows.grow(replies, client.sharedStates.replies.stream) else { return false }
    guard !shown.isEmpty else { return true }
    self.shown.amend(besides: ConversationSnapshot.withoutTexts) { [rows] in rows.grow(&$0.rows) }
    return true
  }

  /// Returns whether the span has changed.
  @discardableResult private func show(_ result: Result<ConversationSnapshot, ChatError>) -> Bool {
    shown.show(result)
    rows.show(shown.stored.rows)
    guard case .success = result else { return false }
    return fitSpan()
  }
}

extension ConversationSnapshot {
  var rowIDs: [MessageID] { rows.map(\.id) }

  /// The parts that do not change with the text of a row.
  @MainActor fileprivate static let withoutTexts: Set<PartialKeyPath<Self>> = [
    \.id, \.title, \.rowIDs, \.hasOlder, \.hasNewer, \.exists, \.refusal, \.hasEvicted, \.older, \.processing,
    \.note, \.problem, \.noteAbove,
  ]

  /// A timeline before its first read. It claims neither that it is empty nor that it is missing.
  static func unread(_ id: ConversationID) -> Self {
    var unread = Self(id: id, title: "", rows: [])
    unread.note = nil
    return unread
  }
}

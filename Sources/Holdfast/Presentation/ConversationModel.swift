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
/// A view tells apart what loads, has failed, is empty, and is missing:
///
/// ```swift
/// if model.isLoading {
///   Skeleton()
/// } else if let problem = model.problem {
///   Text(problem.message)
/// } else if let note = model.snapshot.note {
///   Text(note)                                    // "No messages yet", or "Conversation not found"
/// } else {
///   ForEach(model.snapshot.rows) { … }
/// }
/// ```
///
/// A view that does not ask whether the model loads has the rows in its first frame: the first look reads them.
@MainActor @Observable public final class ConversationModel {
  /// The timeline's state, for the view. The first look reads it, unless ``run()`` has done so.
  public var snapshot: ConversationSnapshot {
    look()
    return shown.value
  }
  /// The reason why the timeline could not be read (SPEC V5). The snapshot is then an earlier one, or has no rows and no
  /// note. Nil once the timeline is read again, after the next change or by ``reload()``.
  public var problem: ChatError? {
    look()
    return shown.problem
  }
  /// Whether the timeline has not been read yet, for a skeleton (SPEC H7). A view that asks this before it looks at the
  /// snapshot leaves the first read to ``run()``, which keeps it off the main actor. False once the timeline was read or
  /// could not be read, and then for good.
  public var isLoading: Bool { shown.isLoading }

  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let shown: ShownSnapshot<ConversationSnapshot>
  @ObservationIgnored private var window: TimelineWindow
  @ObservationIgnored private let windowChanged = Signal()

  /// A model of one timeline. Costs nothing before the first look, which reads the rows of the first frame.
  ///
  /// - Parameter message: the message to show, with fifty messages before it and a hundred after it. Nil for the newest
  ///   messages. The newest messages are also shown when the message is not there.
  public init(_ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil) {
    self.client = client
    window = message.map(TimelineWindow.init(around:)) ?? TimelineWindow()
    shown = ShownSnapshot(.unread(conversation), isUnread: true)
  }

  /// Makes a model of a timeline that has been read already.
  package init(_ client: ChatClient, _ snapshot: ConversationSnapshot, _ window: TimelineWindow) {
    self.client = client
    self.window = window
    shown = ShownSnapshot(snapshot, isUnread: false)
    self.window.fit(snapshot)
  }

  /// Shows a hundred more messages. The shown rows keep their IDs.
  public func loadOlder() {
    guard snapshot.hasOlder else { return }
    window.loadOlder()
    reload()
  }

  /// Shows a hundred more messages at the end. Does nothing when the end is shown.
  public func loadNewer() {
    guard snapshot.hasNewer else { return }
    window.loadNewer()
    reload()
  }

  /// Shows the newest messages, and follows new ones: for a button that leads to the end.
  public func loadNewest() {
    guard window != TimelineWindow() else { return }
    window = TimelineWindow()
    reload()
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    await readFirst()
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.windowChanged.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Reads the timeline now, for a button beside ``problem``.
  public func reload() {
    read()
    windowChanged.raise()
  }

  private func look() { if shown.isUnread { read() } }

  private func read() {
    do throws(ChatError) {
      show(.success(try client.conversationSnapshot(shown.value.id, in: window)))
    } catch {
      show(.failure(error))
    }
  }

  private func readFirst() async {
    let (client, id, window) = (client, shown.value.id, window)
    await shown.readFirst(by: client) { () throws(ChatError) in
      try client.conversationSnapshot(id, in: window)
    }
    self.window.fit(shown.value)
  }

  private func follow() async {
    let states = client.timeline(of: shown.value.id, in: window).makeAsyncIterator()
    while let result = await states.nextResult(isolation: MainActor.shared) {
      if show(result) { windowChanged.raise() }
    }
  }

  /// Returns whether the window has changed.
  @discardableResult private func show(_ result: Result<ConversationSnapshot, ChatError>) -> Bool {
    shown.show(result)
    return window.fit(shown.value)
  }
}

extension ConversationSnapshot {
  /// A timeline of which nothing is known. It says neither that it is empty nor that it is missing.
  static func unread(_ id: ConversationID) -> Self {
    var unread = Self(id: id, title: "", rows: [])
    unread.note = nil
    return unread
  }
}

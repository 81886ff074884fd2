import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The list of conversations, for a view. The model is a thin box around a value, and decides nothing.
///
/// ```swift
/// List(model.snapshot.rows) { … }.task { await model.run() }
/// ```
@MainActor @Observable public final class ConversationListModel {
  /// The list's state, for the view.
  public private(set) var snapshot = ConversationListSnapshot(rows: [])
  @ObservationIgnored private let client: ChatClient

  /// A model of all conversations of the client.
  public init(_ client: ChatClient) {
    self.client = client
    if let present = try? client.listSnapshot(limit: 200) { snapshot = present }
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    for await snapshot in client.conversationList() { self.snapshot = snapshot }
  }
}

/// The timeline of one conversation, for a view: the newest rows, or those around one message, and more on demand.
///
/// ```swift
/// ConversationModel(client, conversation)                          // the newest
/// ConversationModel(client, conversation, around: anchor.message)  // where its reader was, or what was searched for
/// ```
@MainActor @Observable public final class ConversationModel {
  /// The timeline's state, for the view.
  public private(set) var snapshot: ConversationSnapshot
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var window: TimelineWindow
  @ObservationIgnored private let windowChanged = Signal()

  /// Reads the rows of the first frame once. Nothing is awaited.
  ///
  /// - Parameter message: the message to show, with fifty messages before it and a hundred after it. Nil for the newest
  ///   messages. The newest messages are also shown when the message is not there.
  public convenience init(
    _ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil
  ) {
    let window = message.map(TimelineWindow.init(around:)) ?? TimelineWindow()
    let snapshot =
      (try? client.conversationSnapshot(conversation, in: window))
      ?? ConversationSnapshot(id: conversation, title: "", rows: [], hasOlder: false, exists: false)
    self.init(client, snapshot, window)
  }

  /// Makes a model of a timeline that has been read already.
  package init(_ client: ChatClient, _ snapshot: ConversationSnapshot, _ window: TimelineWindow) {
    self.client = client
    self.snapshot = snapshot
    self.window = window
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
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.windowChanged.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func reload() {
    if let fresh = try? client.conversationSnapshot(snapshot.id, in: window) { snapshot = fresh }
    window.fit(snapshot)
    windowChanged.raise()
  }

  private func follow() async {
    for await snapshot in client.timeline(of: snapshot.id, in: window) {
      self.snapshot = snapshot
      if window.fit(snapshot) { windowChanged.raise() }
    }
  }
}

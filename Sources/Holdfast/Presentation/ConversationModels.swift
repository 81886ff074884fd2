import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The list of conversations for a view. A thin box around a value: it decides nothing.
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

/// One conversation's timeline for a view: the newest rows, or those around one message; more on demand.
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

  /// One read of the rows that the first frame shows: nothing is awaited.
  ///
  /// - Parameter message: fifty messages before it and a hundred behind it are loaded. One that is not there, and nil,
  ///   mean the newest messages.
  public convenience init(
    _ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil
  ) {
    let window = message.map(TimelineWindow.init(around:)) ?? TimelineWindow()
    let snapshot =
      (try? client.conversationSnapshot(conversation, in: window))
      ?? ConversationSnapshot(id: conversation, title: "", rows: [], hasOlder: false, exists: false)
    self.init(client, snapshot, window)
  }

  /// What is shown was read already.
  package init(_ client: ChatClient, _ snapshot: ConversationSnapshot, _ window: TimelineWindow) {
    self.client = client
    self.snapshot = snapshot
    self.window = window
    self.window.fit(snapshot)
  }

  /// Shows a hundred messages more. The rows that are shown keep their IDs.
  public func loadOlder() {
    guard snapshot.hasOlder else { return }
    window.loadOlder()
    reload()
  }

  /// Shows a hundred messages more at the end. Does nothing where the end is shown.
  public func loadNewer() {
    guard snapshot.hasNewer else { return }
    window.loadNewer()
    reload()
  }

  /// Shows the newest messages, and follows what arrives: for a button that leads to the end.
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

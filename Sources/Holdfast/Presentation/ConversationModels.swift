import Foundation
import Observation

/// The list of conversations for a view. A thin box around a value: it decides nothing.
///
/// ```swift
/// List(model.snapshot.rows) { … }.task { await model.run() }
/// ```
@MainActor @Observable public final class ConversationListModel {
  public private(set) var snapshot = ConversationListSnapshot(rows: [])
  @ObservationIgnored private let client: ChatClient

  public init(_ client: ChatClient) {
    self.client = client
    if let present = try? client.listSnapshot(limit: 200) { snapshot = present }
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    for await snapshot in client.conversationList() { self.snapshot = snapshot }
  }
}

/// One conversation's timeline for a view: the newest rows, older ones on demand.
@MainActor @Observable public final class ConversationModel {
  public private(set) var snapshot: ConversationSnapshot
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var limit = ConversationModel.page
  @ObservationIgnored private let limitChanged = Signal()
  private static let page = 100

  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    // The first frame shows what is stored: nothing is awaited.
    snapshot =
      (try? client.conversationSnapshot(conversation, limit: Self.page))
      ?? ConversationSnapshot(id: conversation, title: "", rows: [], hasOlder: false, exists: false)
  }

  /// Shows a hundred messages more. The rows that are shown keep their IDs.
  public func loadOlder() {
    guard snapshot.hasOlder else { return }
    limit += Self.page
    if let older = try? client.conversationSnapshot(snapshot.id, limit: limit) { snapshot = older }
    limitChanged.raise()
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.limitChanged.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func follow() async {
    for await snapshot in client.timeline(of: snapshot.id, limit: limit) { self.snapshot = snapshot }
  }
}

import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The list of conversations, for a view. The model is a thin wrapper around a value, and decides nothing.
///
/// ```swift
/// List(model.snapshot.rows) { row in Text(row.title) }.task { await model.run() }
/// ```
///
/// ``ConversationModel`` shows how a view distinguishes loading, failed and empty. Each value of the snapshot is a
/// property of the model too, observed apart from the others: `model.rows`, `model.undoable`.
@MainActor @Observable @dynamicMemberLookup public final class ConversationListModel {
  private static let page = 200

  /// The list's state, for the view. The first access reads it, unless ``run()`` has done so.
  public var snapshot: ConversationListSnapshot {
    look()
    return shown.value
  }
  /// The reason why the list could not be read (rule V5). The snapshot is then an earlier one, or has no rows and no
  /// note. Nil once the list is read again, after the next change or by ``reload()``.
  public var problem: ChatError? {
    look()
    return shown.problem?.localized(with: client.configuration.texts)
  }
  /// Whether the list has not been read yet, for a skeleton (rule H7). A view that asks this before it accesses the
  /// snapshot leaves the first read to ``run()``, which keeps it off the main actor. False once the list was read or
  /// could not be read, and then permanently.
  public var isLoading: Bool { shown.isLoading }

  /// One value of ``snapshot``, observed apart from the others.
  public subscript<Value: Equatable>(
    dynamicMember path: KeyPath<ConversationListSnapshot, Value> & Sendable
  ) -> Value {
    look()
    return shown[path]
  }

  @ObservationIgnored package let client: ChatClient
  @ObservationIgnored private let isIncluded: (@Sendable (Data?) -> Bool)?
  @ObservationIgnored private let shown: ShownSnapshot<ConversationListSnapshot>
  @ObservationIgnored private var limit = page
  @ObservationIgnored private let limitChanged = Signal()
  /// The states of the list from the first read on. Nil before it, and once they are followed.
  @ObservationIgnored private var states: SnapshotSequence<ConversationListSnapshot>.Iterator?

  /// A model of the newest 200 conversations of the client, and of more on demand. Costs nothing before the first
  /// access.
  ///
  /// - Parameter client: the client whose conversations are listed.
  /// - Parameter isIncluded: whether a conversation with this metadata is listed, as in
  ///   ``ChatClient/conversations(limit:where:)``. Nil: all are.
  public init(_ client: ChatClient, where isIncluded: (@Sendable (_ metadata: Data?) -> Bool)? = nil) {
    (self.client, self.isIncluded) = (client, isIncluded)
    shown = ShownSnapshot(.unread, isUnread: true)
  }

  /// Shows 200 more conversations. Does nothing when all are shown.
  public func loadMore() {
    guard snapshot.hasMore else { return }
    limit += Self.page
    reload()
    limitChanged.raise()
  }

  /// Reads the list now, for a button beside ``problem``.
  public func reload() {
    do throws(ChatError) {
      shown.show(.success(try client.reader.list(limit: limit, where: isIncluded)))
    } catch {
      shown.show(.failure(error))
    }
  }

  /// Follows the store until the task is cancelled.
  public func run() async {
    await readFirst()
    while !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow() }
        group.addTask { await self.limitChanged.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func look() { if shown.isUnread { reload() } }

  private func readFirst() async {
    let (client, limit, isIncluded) = (client, limit, isIncluded)
    let (iterator, isFirst) = (makeIterator(), shown.isUnread)
    await shown.readFirst(by: client) { () throws(ChatError) in
      try client.reader.list(limit: limit, where: isIncluded)
    }
    guard isFirst, shown.problem == nil, self.limit == limit else { return }
    iterator.resume(from: shown.stored)
    states = iterator
  }

  private func makeIterator() -> SnapshotSequence<ConversationListSnapshot>.Iterator {
    client.reader.conversationList(limit: limit, where: isIncluded).makeAsyncIterator()
  }

  private func follow() async {
    let states = states.take() ?? makeIterator()
    while let result = await states.nextResult(isolation: MainActor.shared) { shown.show(result) }
  }
}

extension ConversationListSnapshot {
  /// The list before its first read. It does not claim that there are no conversations.
  static var unread: Self {
    var unread = Self(rows: [])
    unread.note = nil
    return unread
  }
}

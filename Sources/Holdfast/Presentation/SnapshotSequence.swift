import Foundation
import HoldfastCore
import HoldfastStore

/// The successive states of a shown value. The present state comes first, then one after each commit that changes it.
/// A late reader misses intermediate states, but never the last one.
///
/// ```swift
/// for await snapshot in client.conversation(conversation).timeline() { show(snapshot.rows) }
/// ```
///
/// Each loop is a separate observer. It ends when its task is cancelled. A failed read yields the last state once
/// more, or the state before the first read, with the reason (rule V5).
package struct SnapshotSequence<Element: Sendable & Equatable & FallibleSnapshot>: AsyncSequence, Sendable {
  package typealias Failure = Never

  package let client: ChatClient
  /// The state before the first read.
  let unread: Element
  /// The changes of a commit that concern the element.
  let changed: @Sendable (Changes) -> PendingChanges.Pending
  /// Makes the reader of one loop, which reads the elements one after the other.
  let makeReader: @Sendable () -> (PendingChanges.Pending) throws -> Element
  /// The shortest time between two reads, for an element that was not cheap to read. Nil for no pause.
  package var pause: @Sendable (Element) -> Duration? = { _ in nil }
  /// The element with the present texts of these replies. Nil when it must be read.
  var grow: @Sendable (Element, Set<MessageID>) -> Element? = { _, _ in nil }

  /// A sequence whose elements are read as a whole.
  init(
    client: ChatClient, unread: Element, concerns: @escaping @Sendable (Changes) -> Bool,
    read: @escaping @Sendable () throws -> Element,
    pause: @escaping @Sendable (Element) -> Duration? = { _ in nil }
  ) {
    self.client = client
    self.unread = unread
    changed = { PendingChanges.Pending(mustRead: concerns($0)) }
    makeReader = { { _ in try read() } }
    self.pause = pause
  }

  /// A sequence whose elements are read according to their changes.
  init(
    client: ChatClient, unread: Element,
    changed: @escaping @Sendable (Changes) -> PendingChanges.Pending,
    makeReader: @escaping @Sendable () -> (PendingChanges.Pending) throws -> Element,
    grow: @escaping @Sendable (Element, Set<MessageID>) -> Element?
  ) {
    self.client = client
    self.unread = unread
    self.changed = changed
    self.makeReader = makeReader
    self.grow = grow
  }

  package func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  /// The position of one loop, which is notified of commits from the moment it is made.
  package final class Iterator: AsyncIteratorProtocol {
    /// The next step of a loop.
    package enum Step {
      /// The next state, or the reason why it could not be read.
      case state(Result<Element, ChatError>)
      /// Replies that have grown. Nothing else has changed.
      case grown(Set<MessageID>)
    }

    private let sequence: SnapshotSequence
    private let signal = Signal()
    private let pending = PendingChanges()
    private let reader: (PendingChanges.Pending) throws -> Element
    private let subscription: Int
    package var last: Element?
    private var isFirst = true
    private var hasFailed = false
    /// Whether `last` has grown since it was read, as the notified caller shows it.
    private var hasGrown = false
    /// The reason that was reported last. Nil after a successful read.
    private var reported: ChatError?
    private var readAt: ChatEnvironment.Instant?

    package init(sequence: SnapshotSequence) {
      self.sequence = sequence
      reader = sequence.makeReader()
      subscription = sequence.client.store.changes.subscribe(signal) { [pending] changes in
        var changed = sequence.changed(changes)
        if changes.isForeign { changed.mustRead = true }
        return pending.note(changed)
      }
    }

    deinit { sequence.client.store.changes.unsubscribe(subscription) }

    /// Reads on the caller's actor. A view's model is on the main actor: the row of a message that was just sent is in
    /// its snapshot one read after the commit, with no other thread in between. After a failed read, the next commit
    /// reads again.
    package func next(isolation actor: isolated (any Actor)?) async -> Element? {
      while let result = await nextResult(isolation: actor) {
        switch result {
        case .success(let element):
          reported = nil
          return element
        case .failure(let problem) where problem == reported: continue
        case .failure(let problem):
          reported = problem
          var shown = last ?? sequence.unread
          shown.problem = problem.localized(with: sequence.client.configuration.texts)
          return shown
        }
      }
      return nil
    }

    /// The next state, or the reason why it could not be read.
    package func nextResult(isolation actor: isolated (any Actor)?) async -> Result<Element, ChatError>? {
      while let step = await nextStep(isolation: actor) {
        switch step {
        case .state(let result): return result
        case .grown(let replies): if let result = grow(replies) { return result }
        }
      }
      return nil
    }

    /// The next state, or the replies that have grown, for a caller that shows them by itself. A caller that cannot
    /// do so calls ``read()``.
    package func nextStep(isolation actor: isolated (any Actor)?) async -> Step? {
      while !Task.isCancelled {
        if !isFirst { await signal.wait() }
        var changed = pending.drain()
        if isFirst || hasFailed { changed.mustRead = true }
        isFirst = false
        guard !changed.isEmpty else { continue }
        await rest()
        guard !Task.isCancelled else { return nil }
        if changed.isGrowth {
          hasGrown = true
          return .grown(changed.grown)
        }
        if let result = read(after: changed) { return .state(result) }
      }
      return nil
    }

    /// The state now, or the reason why it cannot be read. Nil when it is the last one.
    package func read() -> Result<Element, ChatError>? {
      isFirst = false
      return read(after: PendingChanges.Pending(mustRead: true))
    }

    /// Continues from a state that was read after this iterator was made.
    func resume(from element: Element) { (last, isFirst) = (element, false) }

    private func read(after changed: PendingChanges.Pending) -> Result<Element, ChatError>? {
      do {
        readAt = sequence.client.environment.uptime()
        let element = try reader(changed)
        guard element != last || hasFailed || hasGrown else { return nil }
        (last, hasFailed, hasGrown) = (element, false, false)
        return .success(element)
      } catch {
        hasFailed = true
        sequence.client.logger.error("snapshot not read", metadata: ["error": "\(error)"])
        return .failure(error as? ChatError ?? ChatError(.storageFailed, "The store could not be read."))
      }
    }

    /// The last state with replies that have grown. Nil when that changes nothing.
    private func grow(_ replies: Set<MessageID>) -> Result<Element, ChatError>? {
      hasGrown = false
      guard let last, let grown = sequence.grow(last, replies) else { return read() }
      guard grown != last else { return nil }
      self.last = grown
      return .success(grown)
    }

    /// Waits until the pause is over. Changes in the meantime are read together with the next element.
    private nonisolated(nonsending) func rest() async {
      guard let readAt, let last, let pause = sequence.pause(last) else { return }
      let environment = sequence.client.environment
      guard environment.uptime() < readAt + pause else { return }
      try? await environment.sleep(readAt + pause)
    }
  }
}

/// A state that carries the reason why it could not be read.
package protocol FallibleSnapshot {
  var problem: ChatError? { get set }
}

extension ConversationSnapshot: FallibleSnapshot {}
extension ConversationListSnapshot: FallibleSnapshot {}
extension HeldMessages: FallibleSnapshot {}
extension OutboxHealth: FallibleSnapshot {}

extension SnapshotReader {
  package func timeline(
    of conversation: ConversationID, in span: TimelineSpan
  ) -> SnapshotSequence<ConversationSnapshot> {
    SnapshotSequence(client: client, unread: .unread(conversation)) { changes in
      let key = self.store.names.key(of: conversation)
      return PendingChanges.Pending(
        mustRead: changes.link || changes.status || changes.timelines.contains(key),
        rows: changes.rows[key] ?? [], statuses: changes.statuses.contains(key),
        grown: Set(changes.grown.lazy.filter { $0.value == key }.map(\.key)))
    } makeReader: {
      let timeline = TimelineReader(self, conversation, in: span)
      return { try timeline.read(after: $0) }
    } grow: {
      self.grow($1, in: $0)
    }
  }

  package func conversationList(
    limit: Int = 200, where isIncluded: (@Sendable (Data?) -> Bool)? = nil
  ) -> SnapshotSequence<ConversationListSnapshot> {
    SnapshotSequence(client: client, unread: .unread, concerns: \.list) {
      try self.list(limit: limit, where: isIncluded)
    } pause: { list in
      list.rows.reduce(0) { $0 + $1.unsentCount } >= 1_000 ? .milliseconds(250) : nil
    }
  }
}

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
  private static let page = 200

  /// The list's state, for the view.
  public private(set) var snapshot = ConversationListSnapshot(rows: [])
  /// The reason why the list could not be read (SPEC V5). The snapshot is then an earlier one, or has no rows. Nil once
  /// the list is read again, after the next change or by ``reload()``.
  public private(set) var problem: ChatError?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var limit = page
  @ObservationIgnored private let limitChanged = Signal()

  /// A model of the newest 200 conversations of the client, and of more on demand.
  public init(_ client: ChatClient) {
    self.client = client
    reload()
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
      show(.success(try client.listSnapshot(limit: limit)))
    } catch {
      show(.failure(error))
    }
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
    let states = client.conversationList(limit: limit).makeAsyncIterator()
    while let result = await states.nextResult(isolation: MainActor.shared) { show(result) }
  }

  private func show(_ result: Result<ConversationListSnapshot, ChatError>) {
    switch result {
    case .success(let fresh):
      if snapshot != fresh { snapshot = fresh }
      if problem != nil { problem = nil }
    case .failure(let error): if problem != error { problem = error }
    }
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
  /// The reason why the timeline could not be read (SPEC V5). The snapshot is then an earlier one, or has no rows. Nil once
  /// the timeline is read again, after the next change or by ``reload()``.
  public private(set) var problem: ChatError?
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
    do throws(ChatError) {
      self.init(client, try client.conversationSnapshot(conversation, in: window), window)
    } catch {
      // Nobody knows whether the conversation exists, so it must not look like one that was deleted.
      self.init(client, ConversationSnapshot(id: conversation, title: "", rows: []), window)
      problem = error
    }
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

  /// Reads the timeline now, for a button beside ``problem``.
  public func reload() {
    do throws(ChatError) {
      show(.success(try client.conversationSnapshot(snapshot.id, in: window)))
    } catch {
      show(.failure(error))
    }
    window.fit(snapshot)
    windowChanged.raise()
  }

  private func follow() async {
    let states = client.timeline(of: snapshot.id, in: window).makeAsyncIterator()
    while let result = await states.nextResult(isolation: MainActor.shared) {
      show(result)
      if window.fit(snapshot) { windowChanged.raise() }
    }
  }

  private func show(_ result: Result<ConversationSnapshot, ChatError>) {
    switch result {
    case .success(let fresh):
      snapshot = fresh
      if problem != nil { problem = nil }
    case .failure(let error): if problem != error { problem = error }
    }
  }
}

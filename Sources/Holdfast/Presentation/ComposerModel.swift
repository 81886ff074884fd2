import Foundation
import Observation

/// The composer of one conversation for a view: what it holds is stored by itself, restored by itself, and
/// moves to the outbox in one transaction.
///
/// ```swift
/// let composer = ComposerModel(client, conversation)       // the draft is back, with its cursor
/// composer.edit("Hal", selection: .init(start: 3, end: 3))  // each keystroke
/// composer.send()
/// composer.hardSave()                                       // on background, and on leaving
/// ```
@MainActor @Observable public final class ComposerModel {
  public private(set) var snapshot: ComposerSnapshot
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let key: DraftKey

  /// Reads the draft, if there is one: one small read.
  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    key = DraftKey(conversation: conversation)
    snapshot = Self.snapshot(of: client.drafts.open(key), generation: 0)
  }

  /// The user typed, or moved the cursor. Costs no disk access; it is stored 700 ms after the last call,
  /// and every 10 s while typing goes on (SPEC D2, D3).
  ///
  /// - Parameter selection: in UTF-16 code units of `text`.
  public func edit(_ text: String, selection: TextSelection? = nil) {
    client.drafts.edit(key, DraftContent(text, selection: selection))
    let entry = client.drafts.open(key)
    // What could not be loaded before may have been merged in now.
    let isReplaced = entry.buffer.content.text != text
    snapshot = Self.snapshot(of: entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// Sends what the composer holds. When it cannot, the text stays and `snapshot.problem` says why.
  @discardableResult
  public func send() -> MessageID? {
    do throws(ChatError) {
      let id = try client.sendDraft(in: key.conversation)
      refresh()
      return id
    } catch {
      refresh()
      snapshot.problem = error.message
      return nil
    }
  }

  /// Stores the content now. When it returns, it is on disk, or `snapshot.problem` says why not. Call it when
  /// the app resigns active, and on leaving the conversation (SPEC D4).
  public func hardSave() {
    do throws(ChatError) {
      try client.drafts.save(key)
      refresh()
    } catch {
      refresh()
      snapshot.problem = error.message
    }
  }

  /// Follows what changes the draft from elsewhere, until the task is cancelled: another window, or a message
  /// taken back.
  public func run() async {
    let signal = Signal()
    let conversation = key.conversation
    let subscription = client.store.changes.subscribe(signal) { $0.drafts.contains(conversation) }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      refresh()
      await signal.wait()
    }
  }

  private func refresh() {
    let entry = client.drafts.open(key)
    let isReplaced = entry.buffer.content.text != snapshot.text
    snapshot = Self.snapshot(of: entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  private static func snapshot(of entry: Drafts.Entry, generation: Int) -> ComposerSnapshot {
    ComposerSnapshot(
      text: entry.buffer.content.text, selection: entry.buffer.content.selection, generation: generation,
      canSend: !entry.buffer.content.isEmpty, isRecovered: entry.isRecovered,
      problem: entry.problem?.message)
  }
}

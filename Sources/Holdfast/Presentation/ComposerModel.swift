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
  @ObservationIgnored let client: ChatClient
  @ObservationIgnored let key: DraftKey
  @ObservationIgnored private var bannerState = DraftBannerState()
  @ObservationIgnored private let changed = Signal()
  /// For as long as Undo is offered.
  @ObservationIgnored private var discarded: DiscardedDraft?

  /// Reads the draft, if there is one: one small read.
  public init(_ client: ChatClient, _ conversation: ConversationID) {
    self.client = client
    key = DraftKey(conversation: conversation)
    let entry = client.drafts.open(key)
    bannerState.opened(
      writtenAt: entry.writtenAt, isFromEarlierSession: entry.isRecovered, now: client.environment.now())
    snapshot = ComposerSnapshot(text: "", generation: 0, canSend: false)
    snapshot = present(entry, generation: 0)
  }

  /// The user typed, or moved the cursor. Costs no disk access; it is stored 700 ms after the last call,
  /// and every 10 s while typing goes on (SPEC D2, D3).
  ///
  /// - Parameter selection: in UTF-16 code units of `text`.
  public func edit(_ text: String, selection: TextSelection? = nil) {
    client.drafts.edit(key, DraftContent(text, selection: selection))
    let entry = client.drafts.open(key)
    if !text.hasSameBytes(as: snapshot.text) { bannerState.typed() }
    // What could not be loaded before may have been merged in now.
    let isReplaced = entry.buffer.content.text != text
    snapshot = present(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
  }

  /// Sends what the composer holds. When it cannot, the text stays and `snapshot.problem` says why.
  @discardableResult
  public func send() -> MessageID? {
    do throws(ChatError) {
      let id = try client.sendDraft(in: key.conversation)
      bannerState.kept()
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

  /// Empties the composer and deletes the draft, from the file too; when this returns, that is on disk. The
  /// banner offers Undo for some seconds (SPEC D10). Does nothing to an empty composer.
  ///
  /// When it cannot be deleted, the text stays and `snapshot.problem` says why.
  public func discard() {
    let entry = client.drafts.open(key)
    guard !entry.buffer.content.isEmpty else { return }
    do throws(ChatError) {
      let discarded = try client.drafts.discard(key)
      self.discarded = discarded
      bannerState.discarded(
        discarded.content, writtenAt: entry.writtenAt ?? client.environment.now(),
        at: client.environment.uptime())
      refresh()
    } catch {
      refresh()
      snapshot.problem = error.message
    }
    changed.raise()
  }

  /// Takes back a discard, as long as the banner offers it: the text is in the composer again, in front of what was
  /// typed since, with its attachments, and on disk when this returns. It was this process's only: a crash in between
  /// loses it.
  public func undoDiscard() {
    guard bannerState.undone(at: client.environment.uptime()) != nil, let discarded else { return refresh() }
    do throws(ChatError) {
      try client.drafts.restore(key, discarded)
      refresh()
    } catch {
      refresh()
      snapshot.problem = error.message
    }
  }

  /// The user goes on with an old draft: the question leaves (SPEC D11).
  public func keepDraft() {
    bannerState.kept()
    refresh()
  }

  /// Follows what changes the draft from elsewhere, until the task is cancelled: another window, or a message
  /// taken back.
  public func run() async {
    let conversation = key.conversation
    let subscription = client.store.changes.subscribe(changed) { $0.drafts.contains(conversation) }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      refresh()
      let deadline = bannerState.deadline(now: client.environment.uptime())
      await changed.wait(until: deadline, in: client.environment)
    }
  }

  func refresh() {
    let entry = client.drafts.open(key)
    let isReplaced = entry.buffer.content.text != snapshot.text
    let present = present(entry, generation: snapshot.generation + (isReplaced ? 1 : 0))
    if present != snapshot { snapshot = present }
    if snapshot.banner?.kind != .discarded { discarded = nil }
  }

  private func present(_ entry: Drafts.Entry, generation: Int) -> ComposerSnapshot {
    ComposerSnapshot(
      text: entry.buffer.content.text, selection: entry.buffer.content.selection, generation: generation,
      canSend: !entry.buffer.content.isEmpty,
      banner: bannerState.banner(now: client.environment.uptime(), date: client.environment.now()),
      attachments: entry.buffer.content.attachments.map { client.row($0) }, problem: entry.problem?.message)
  }
}

import Foundation
import HoldfastCore
import HoldfastStore

/// Drafts for an app that sends its messages itself. They use the store, without outbox, transport or ``ChatClient``
/// (rule D7).
///
/// ```swift
/// let drafts = try DraftController(storage: .applicationSupport("alice"), user: "alice")
/// let composer = drafts.composer(in: chat)       // on opening a conversation
/// try drafts.hardSave()                         // on background
/// await drafts.run()                            // saves by itself, until cancelled
/// ```
///
/// The store has the format of ``ChatClient``: an app that adopts the outbox later opens the same folder with a client,
/// and finds every draft. Only one of the two may be in use at a time. Typing into a conversation creates it. Calls may
/// come from any thread.
public final class DraftController: Sendable {
  package let drafts: Drafts
  package let environment: ChatEnvironment
  package var store: Store { drafts.store }
  private let configuration: ChatConfiguration

  /// Opens the store, or creates it when it does not exist.
  ///
  /// - Parameters:
  ///   - storage: where the store lies. Nobody else may have it open.
  ///   - user: the account. A store that belongs to another account is refused.
  ///   - configuration: the settings. Only the saving times, the sizes of files, the texts and the environment are
  ///     used.
  /// - Throws: ``ChatError`` with a storage code. The file is left as it is.
  public convenience init(
    storage: StorageLocation, user: UserID, configuration: ChatConfiguration = ChatConfiguration()
  ) throws {
    let store = try Store(
      folder: try storage.resolve(), owner: user, gate: configuration.environment.gate,
      isShared: storage.isShared,
      protection: storage.protection)
    self.init(store: store, user: user, configuration: configuration)
  }

  package init(store: Store, user: UserID, configuration: ChatConfiguration) {
    environment = configuration.environment
    self.configuration = configuration
    drafts = Drafts(
      store: store, environment: environment, intervals: configuration.saving, conversationOwner: user)
  }

  /// A composer of a conversation. Keep it for as long as it is on the screen. Several composers of one conversation
  /// show the same draft (rule D13). Costs no disk access.
  public func composer(in conversation: ConversationID) -> DraftComposer {
    let largest = configuration.attachments.maximumBytes
    return DraftComposer(
      conversation, of: drafts, by: nil, configuration: configuration,
      limits: DraftComposer.Limits(largestFile: { largest }, requireReplyTo: {}))
  }

  /// Stores typed text 700 ms after the last keystroke, and every 10 s while typing continues (rules D2, D3). Returns
  /// when the task is cancelled. Without this call, text is stored by ``hardSave()``, and when its composer is released
  /// of. In a store that other processes write to (``StorageLocation/shared()``), composers without unsaved text
  /// follow their drafts.
  public func run() async {
    let alarm = Alarm(environment)
    let saving = SavingLoop([drafts], signal: drafts.wake, alarm: alarm, environment: environment)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await alarm.run() }
      group.addTask { await saving.run() }
      group.addTask { [drafts, store, environment] in
        await CommitWatch(store, environment).run { drafts.noticeOthers() }
      }
    }
  }

  /// Stores the content of every composer now. Call it when the app resigns active (rule D4). When the call returns,
  /// all of the content is on disk.
  ///
  /// - Throws: ``ChatError`` with a storage code, with `draftTooLong`, or with `unknownConversation`
  ///   for a malformed ID. Content that could not be stored stays in its composer.
  public func hardSave() throws(ChatError) { try drafts.saveAll() }

  /// Prepares for the background, as ``ChatClient/enterBackground()`` does: stores the typed texts, tidies up the
  /// files, and closes them on systems that suspend apps. Until ``resume()``, calls that read or store throw
  /// ``ChatError`` with code `suspended` there. A store of up to 16 MB has no copy of a deleted text afterwards (rule
  /// S9).
  ///
  /// - Throws: as ``hardSave()``.
  public func enterBackground() throws(ChatError) {
    if configuration.suspendsApps { return try suspend() }
    try hardSave()
    store.tidyUp(environment.logger)
  }

  /// Stores the typed texts and closes the files. When the call returns, no lock is held and no transaction is open
  /// (rule S7). Until ``resume()``, calls that read or store throw ``ChatError`` with code `suspended`, and typed texts
  /// stay in their composers. ``enterBackground()`` calls it where the system suspends apps.
  ///
  /// - Throws: as ``hardSave()``. The files are closed anyway.
  public func suspend() throws(ChatError) {
    let saved = Result { () throws(ChatError) in try hardSave() }
    store.tidyUp(environment.logger)
    try store.suspend()
    try saved.get()
  }

  /// Opens the files again.
  ///
  /// - Throws: ``ChatError`` with a storage code. The controller stays suspended, and the next call
  ///   tries again.
  public func resume() throws(ChatError) {
    try store.resume()
    drafts.retryNow()
  }

  /// The URL of an attachment's file, for the app's own upload. Nil when no draft here has the file. The app may read
  /// the file, and must not change it. It is deleted with the draft.
  public func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? { store.fileHere(checksum) }

  /// Gives a conversation another ID, with its drafts and their versions, in one transaction: a local ID is replaced by
  /// the server's (rule D15). If the new ID has drafts too, the texts are joined. The earlier ID means the conversation
  /// from then on, also after a restart, and for its composers.
  ///
  /// - Throws: ``ChatError`` with code `malformedID`, `sameConversation`, or a storage code. Nothing is
  ///   changed then.
  public func replaceID(of old: ConversationID, with new: ConversationID) throws(ChatError) {
    try drafts.rename(old, to: new) { key, transaction in
      // Nothing of the conversation may be stored yet.
      try drafts.storage.makeConversation(key, in: transaction, now: environment.now())
      try transaction.conversations.require(key)
    }
  }

  /// Statistics about drafts on this device, like ``ChatClient/draftMetrics()``.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func draftMetrics() throws(ChatError) -> DraftMetrics { try drafts.metrics() }

  /// Rewrites the database, as ``ChatClient/compact(progress:)`` does.
  ///
  /// - Returns: whether the database was rewritten. False when the task was cancelled.
  /// - Throws: ``ChatError`` with a storage code, or `suspended`. The store is unchanged.
  @discardableResult
  public func compact(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(ChatError) -> Bool {
    try await store.compacting(progress).get()
  }
}

import Foundation
import Synchronization

/// All composers' contents, shared by every window of the process, and their way to the store.
///
/// The lock is held while a draft is written, so that a save and a send of the same text cannot pass each
/// other: an autosave that was about to happen can never bring back a text that has just been sent.
final class Drafts: Sendable {
  /// One composer's content.
  struct Entry {
    var buffer: DraftBuffer
    /// The store has been read. Until then nothing may be saved or cleared (SPEC D17).
    var isLoaded: Bool
    /// Written in an earlier session of the app, and not touched since.
    var isRecovered = false
    /// When the stored content was written. Nil: nothing is stored.
    var writtenAt: Date?
    /// Why the last save or send failed.
    var problem: ChatError?
  }

  let store: Store
  let environment: ChatEnvironment
  private let session: String
  let entries = Mutex<[DraftKey: Entry]>([:])
  private let wake = Signal()
  /// A draft larger than this is refused, and stays in the composer.
  static let maximumBytes = 8 << 20

  init(store: Store, environment: ChatEnvironment) {
    self.store = store
    self.environment = environment
    session = environment.makeID()
  }

  /// What the composer shows: the stored draft the first time, what was typed since then.
  func open(_ key: DraftKey) -> Entry {
    entries.withLock { entries in
      load(key, in: &entries)
      return entries[key] ?? Entry(buffer: DraftBuffer(stored: DraftContent()), isLoaded: false)
    }
  }

  /// A keystroke. It is stored a pause later, by ``run()``.
  func edit(_ key: DraftKey, _ typed: DraftContent) {
    var content = DraftContent(typed.text.storable, selection: typed.selection)
    let hasChanged = entries.withLock { entries in
      let now = environment.uptime()
      if var entry = entries[key], !entry.isLoaded {
        // Whoever typed this has not seen what is stored: loading merges the two, so that neither is lost.
        _ = entry.buffer.edit(content, now: now)
        entries[key] = entry
        load(key, in: &entries)
        return true
      }
      load(key, in: &entries)
      guard var entry = entries[key] else { return false }
      let before = entry.buffer.content
      // Typing changes no attachment: they are stored when they are picked.
      content.attachments = before.attachments
      _ = entry.buffer.edit(content, now: now)
      let hasChanged = !before.text.hasSameBytes(as: content.text)
      if hasChanged {
        entry.isRecovered = false
        // It was about a text that is another now. One that was too long and has grown still is.
        let isShorter = content.text.utf8.count < before.text.utf8.count
        if entry.problem?.code == .emptyMessage || (entry.problem?.code == .messageTooLong && isShorter) {
          entry.problem = nil
        }
      }
      entries[key] = entry
      return hasChanged
    }
    wake.raise()
    // Another window on the same draft follows.
    if hasChanged { announce(key) }
  }

  /// Stores what is unsaved, now. When it returns, it is on disk (SPEC D4).
  func save(_ key: DraftKey) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      load(key, in: &entries)
      return write(key, in: &entries)
    }
    // A composer that did not ask shows the problem too.
    if case .failure = result { announce(key) }
    try result.get()
  }

  func saveAll() throws(ChatError) {
    let results = entries.withLock { entries in
      Self.ordered(entries.keys).map { key in
        load(key, in: &entries)
        return (key: key, result: write(key, in: &entries))
      }
    }
    for case (let key, .failure) in results { announce(key) }
    for (_, result) in results { try result.get() }
  }

  /// Moves the content from the draft to wherever `body` puts it, in one transaction. When `body` or the
  /// commit fails, the content stays where it is.
  func take<Value: Sendable>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    let result = entries.withLock { entries -> Result<Value, ChatError> in
      load(key, in: &entries)
      guard var entry = entries[key], entry.isLoaded else {
        return .failure(
          ChatError(.storageBusy, "The draft has not been loaded yet. The text stays in the composer."))
      }
      do throws(ChatError) {
        let value = try store.write { transaction in
          let value = try body(entry.buffer.content, transaction)
          try transaction.deleteDraft(key)
          return value
        }
        entry.buffer.replace(with: DraftContent())
        entry.isRecovered = false
        entry.problem = nil
        entries[key] = entry
        return .success(value)
      } catch {
        entry.problem = error
        entries[key] = entry
        return .failure(error)
      }
    }
    announce(key)
    return try result.get()
  }

  /// Puts a text and its attachments into the composer, in front of what is there, in the transaction that takes them
  /// from wherever they were.
  func put(_ key: DraftKey, _ body: (Transaction) throws -> DraftContent) throws(ChatError) -> DraftContent {
    let result = entries.withLock { entries -> Result<DraftContent, ChatError> in
      load(key, in: &entries)
      guard var entry = entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      let typed = entry.buffer.content
      do throws(ChatError) {
        let content = try store.write { transaction in
          let content = Self.merge(try body(transaction), typed)
          try save(key, content, in: transaction)
          if content.attachments != typed.attachments {
            try transaction.setAttachments(content.attachments, of: .draft(key))
          }
          return content
        }
        entry.buffer.replace(with: content)
        entries[key] = entry
        return .success(content)
      } catch {
        return .failure(error)
      }
    }
    announce(key)
    return try result.get()
  }

  /// Saves what becomes due. Returns when the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let deadline = saveDue()
      await wake.wait(until: deadline, in: environment)
    }
  }

  /// Writes what is due, and says when to look again. Nil: when something is typed.
  private func saveDue() -> ChatEnvironment.Instant? {
    let (failed, deadline) = entries.withLock { entries in
      let now = environment.uptime()
      var failed: [DraftKey] = []
      for key in Self.ordered(entries.keys) {
        guard let deadline = entries[key]?.buffer.deadline, deadline <= now else { continue }
        load(key, in: &entries)
        if case .failure = write(key, in: &entries) { failed.append(key) }
      }
      return (failed, entries.values.compactMap(\.buffer.deadline).min())
    }
    for key in failed { announce(key) }
    return deadline
  }

  private func write(_ key: DraftKey, in entries: inout [DraftKey: Entry]) -> Result<Void, ChatError> {
    guard var entry = entries[key], entry.buffer.hasChanges else { return .success(()) }
    guard entry.isLoaded else {
      entry.buffer.failed(now: environment.uptime())
      entries[key] = entry
      return .failure(
        entry.problem ?? ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
    }
    let content = entry.buffer.content
    do throws(ChatError) {
      try store.write { try save(key, content, in: $0) }
      entry.buffer.wrote(content)
      entry.writtenAt = content.isEmpty ? nil : environment.now()
      entry.problem = nil
      entries[key] = entry
      return .success(())
    } catch {
      entry.buffer.failed(now: environment.uptime())
      entry.problem = error
      entries[key] = entry
      environment.logger.error("draft not saved", metadata: ["code": "\(error.code)"])
      return .failure(error)
    }
  }

  func save(_ key: DraftKey, _ content: DraftContent, in transaction: Transaction) throws {
    guard content.text.utf8.count <= Self.maximumBytes else {
      throw ChatError(.draftTooLong, "The draft is over 8 MB. Shorten it; it stays in the composer.")
    }
    guard !content.isEmpty else { return try transaction.deleteDraft(key) }
    try transaction.requireConversation(key.conversation)
    try transaction.saveDraft(
      key, content: content, newID: environment.makeID(), session: session, now: environment.now())
  }

  func load(_ key: DraftKey, in entries: inout [DraftKey: Entry]) {
    let typed = entries[key]
    guard typed?.isLoaded != true else { return }
    let now = environment.uptime()
    do throws(ChatError) {
      let draft = try store.read { try $0.draft(key) }
      let stored = draft?.content.restorable ?? DraftContent()
      var entry = Entry(buffer: DraftBuffer(stored: stored), isLoaded: true)
      entry.isRecovered = draft.map { $0.session != session } ?? false
      entry.writtenAt = draft?.updatedAt
      if let typed, !typed.buffer.content.isEmpty {
        _ = entry.buffer.edit(Self.merge(stored, typed.buffer.content), now: now)
      }
      entries[key] = entry
    } catch {
      var entry = typed ?? Entry(buffer: DraftBuffer(stored: DraftContent()), isLoaded: false)
      entry.problem = error
      entries[key] = entry
    }
  }

  /// Both texts, the older first: nothing typed is dropped.
  static func merge(_ first: DraftContent, _ second: DraftContent) -> DraftContent {
    let attachments =
      first.attachments + second.attachments.filter { !first.attachments.contains($0) }
    if first.hasBlankText {
      return DraftContent(second.text, selection: second.selection, attachments: attachments)
    }
    if second.hasBlankText { return DraftContent(first.text, attachments: attachments) }
    return DraftContent(first.text + "\n" + second.text, attachments: attachments)
  }

  /// In an order that is the same in every run.
  private static func ordered(_ keys: some Collection<DraftKey>) -> [DraftKey] {
    keys.sorted {
      ($0.conversation.rawValue, $0.slot.rawValue) < ($1.conversation.rawValue, $1.slot.rawValue)
    }
  }

  func announce(_ key: DraftKey) {
    store.changes.publish(Changes(drafts: [key.conversation]))
  }
}

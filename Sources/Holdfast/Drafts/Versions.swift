import Foundation

/// An earlier text of a draft, kept until the draft is sent or discarded (SPEC D18). Attachments belong to the draft,
/// and not to its versions.
public struct DraftVersion: Identifiable, Sendable, Codable, Hashable {
  /// The number of the version in the store.
  public var id: Int64
  public var text: String
  /// In UTF-16 code units of `text`. Nil when there is none.
  public var selection: TextRange?
  /// When it was kept, on this device's clock.
  public var keptAt: Date
}

extension Drafts {
  /// Newest first. What is about to become one with the next save is stored first.
  func versions(_ key: DraftKey) throws(ChatError) -> [DraftVersion] {
    try save(key)
    return try store.read { try $0.versions(of: current(key)) }
  }

  /// Puts a version into the composer, in one transaction. What is there becomes a version, so that this too can be
  /// taken back; the version that it was is none any more.
  func restoreVersion(_ id: Int64, _ key: DraftKey) throws(ChatError) {
    store.lookForRenames()
    let result = entries.withLock { entries -> Result<DraftContent, ChatError> in
      let key = current(key, in: &entries)
      load(key, in: &entries)
      guard var entry = entries[key], entry.isLoaded, key.slot == .new || entry.editing != nil else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      entry.versionCount -= 1
      return replace(key, entry, in: &entries) { present, transaction in
        guard let version = try transaction.takeVersion(id, of: key) else {
          throw ChatError(.invalidDraft, "There is no such version of the draft any more.")
        }
        return DraftContent(
          version.text, selection: version.selection, replyTo: present.replyTo,
          attachments: present.attachments
        ).restorable
      }
    }
    announce(key)
    _ = try result.get()
  }
}

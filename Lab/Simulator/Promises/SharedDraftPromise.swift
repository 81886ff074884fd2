import Holdfast

/// One draft that two processes write: the texts that must be on disk.
///
/// The engine merges the texts of both processes, so the draft cannot be predicted letter by letter outside the
/// engine. But a stored text stays until a user who has seen it removes, sends or discards it.
struct SharedDraftPromise: Sendable {
  /// Texts that are stored, and that no user who saw them has removed since.
  private(set) var kept: [String] = []
  /// By process: the text that was typed, and may not be stored yet.
  private var typed: [String: Unsaved] = [:]

  /// Texts that were in a composer, and were then overwritten or discarded.
  private var released: [String] = []

  private struct Unsaved {
    var text: String
    var at: Duration
    /// The text that the composer showed before the typing began.
    var base: String
    /// Whether `base` is stored, and no other composer's user has removed it.
    var isBaseKept: Bool
  }

  /// Records that a composer that showed `before` now shows `text`.
  ///
  /// - Parameter savesItself: whether autosave stores text typed before a pause. A full disk may prevent that, and a
  ///   text that is then restored by typing has changed nothing.
  mutating func type(
    _ text: String, over before: String, in process: String, at time: Duration, savesItself: Bool = true
  ) {
    guard text != before else { return }
    let running = typed[process].flatMap {
      time - $0.at <= DraftPromise.pause || !savesItself ? $0 : nil
    }
    var unsaved =
      running
      ?? Unsaved(text: text, at: time, base: before, isBaseKept: kept.contains { $0.contains(before) })
    (unsaved.text, unsaved.at) = (text, time)
    takeOut(before, leaving: text)
    if !before.isEmpty { released.append(before) }
    typed[process] = unsaved
    guard text == unsaved.base else { return }
    // The text was typed and removed, so this composer has changed nothing. The draft keeps the changes of others.
    typed[process] = nil
    if unsaved.isBaseKept { keep(text) }
  }

  private mutating func takeOut(_ before: String, leaving text: String) {
    kept.removeAll { before.contains($0) && !text.contains($0) }
    for (process, unsaved) in typed {
      // A text that was typed in another process and is visible here was stored.
      if before.contains(unsaved.text), !text.contains(unsaved.text) { typed[process]?.text = "" }
      if before.contains(unsaved.base), !text.contains(unsaved.base) { typed[process]?.isBaseKept = false }
    }
  }

  /// Records that a call that stores the composer has returned.
  mutating func store(_ process: String) {
    if let text = typed.removeValue(forKey: process)?.text { keep(text) }
  }

  /// Records that the autosave delay has passed, in each running process.
  mutating func autosave(at time: Duration) {
    for process in typed.keys.sorted() {
      if let typed = typed[process], time - typed.at > DraftPromise.pause { store(process) }
    }
  }

  /// Records that the process has ended. Text that it had not stored may be gone, or may still be stored.
  mutating func end(_ process: String, at time: Duration, savesItself: Bool) {
    guard let typed = typed.removeValue(forKey: process) else { return }
    if savesItself, time - typed.at > DraftPromise.pause { keep(typed.text) }
  }

  /// Records a text that is in the composer and stored, because it was taken back into the composer.
  mutating func keep(_ text: String) {
    guard !text.allSatisfy(\.isWhitespace), !kept.contains(where: { $0.contains(text) }) else { return }
    kept.append(text)
  }

  /// Records such a text when it is found late. A user may have seen the text and removed it since.
  mutating func keepUnlessReleased(_ text: String) {
    if !released.contains(where: { $0.contains(text) }) { keep(text) }
  }

  /// Records that a composer's text was sent or discarded, or may have been. A sent text may come back from the
  /// outbox.
  mutating func release(_ text: String, in process: String, isSent: Bool) {
    if !isSent { released.append(text) }
    typed[process] = nil
    takeOut(text, leaving: "")
  }
}

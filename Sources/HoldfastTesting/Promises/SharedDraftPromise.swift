import Holdfast

/// One draft that two processes write: what of it must be on disk.
///
/// Their texts are joined, so nobody outside the engine can say what the draft is, letter by letter. But whatever was
/// stored stays, until somebody who has seen it takes it out, sends it or discards it.
struct SharedDraftPromise: Sendable {
  /// Stored, and not taken out since by anybody who saw it.
  private(set) var kept: [String] = []
  /// By process: typed, and perhaps not stored yet.
  private var typed: [String: Unsaved] = [:]

  /// What was in a composer and was taken out of it, sent or discarded.
  private var released: [String] = []

  private struct Unsaved {
    var text: String
    var at: Duration
    /// What the composer showed before it was typed in.
    var base: String
    /// That is stored, and nobody but this composer's user has taken it out.
    var isBaseKept: Bool
  }

  /// A composer that showed `before` shows `text`.
  mutating func type(_ text: String, over before: String, in process: String, at time: Duration) {
    guard text != before else { return }
    let running = typed[process].flatMap { time - $0.at <= DraftPromise.pause ? $0 : nil }
    var unsaved =
      running
      ?? Unsaved(text: text, at: time, base: before, isBaseKept: kept.contains { $0.contains(before) })
    (unsaved.text, unsaved.at) = (text, time)
    takeOut(before, leaving: text)
    if !before.isEmpty { released.append(before) }
    typed[process] = unsaved
    guard text == unsaved.base else { return }
    // Typed, and taken back: no change of this composer's. It stays what others have made of it.
    typed[process] = nil
    if unsaved.isBaseKept { keep(text) }
  }

  private mutating func takeOut(_ before: String, leaving text: String) {
    kept.removeAll { before.contains($0) && !text.contains($0) }
    for (process, unsaved) in typed {
      // What was typed elsewhere and is seen here was stored.
      if before.contains(unsaved.text), !text.contains(unsaved.text) { typed[process]?.text = "" }
      if before.contains(unsaved.base), !text.contains(unsaved.base) { typed[process]?.isBaseKept = false }
    }
  }

  /// A call that stores the composer has returned.
  mutating func store(_ process: String) {
    if let text = typed.removeValue(forKey: process)?.text { keep(text) }
  }

  /// The autosave has had the time that it takes, in each process that lives.
  mutating func autosave(at time: Duration) {
    for process in typed.keys.sorted() {
      if let typed = typed[process], time - typed.at > DraftPromise.pause { store(process) }
    }
  }

  /// The process has ended: what it had not stored is gone, or there.
  mutating func end(_ process: String, at time: Duration, savesItself: Bool) {
    guard let typed = typed.removeValue(forKey: process) else { return }
    if savesItself, time - typed.at > DraftPromise.pause { keep(typed.text) }
  }

  /// Something that is in the composer, and stored, because it was taken back into it.
  mutating func keep(_ text: String) {
    guard !text.allSatisfy(\.isWhitespace), !kept.contains(where: { $0.contains(text) }) else { return }
    kept.append(text)
  }

  /// The same, found out late: somebody may have seen it and taken it out since.
  mutating func keepUnlessReleased(_ text: String) {
    if !released.contains(where: { $0.contains(text) }) { keep(text) }
  }

  /// A composer's text was sent or discarded, or nobody knows. What was sent may come back from the outbox.
  mutating func release(_ text: String, in process: String, isSent: Bool) {
    if !isSent { released.append(text) }
    typed[process] = nil
    takeOut(text, leaving: "")
  }
}

import Holdfast

/// One draft that two processes write: what of it must be on disk.
///
/// Their texts are joined, so nobody outside the engine can say what the draft is, letter by letter. But whatever was
/// stored stays, until somebody who has seen it takes it out, sends it or discards it.
struct SharedDraftPromise: Sendable {
  /// Stored, and not taken out since by anybody who saw it.
  private(set) var kept: [String] = []
  /// By process: typed, and perhaps not stored yet.
  private var typed: [String: (text: String, at: Duration)] = [:]

  /// What was in a composer and was taken out of it, sent or discarded.
  private var released: [String] = []

  /// A composer that showed `before` shows `text`.
  mutating func type(_ text: String, over before: String, in process: String, at time: Duration) {
    kept.removeAll { before.contains($0) && !text.contains($0) }
    if !before.isEmpty { released.append(before) }
    // What was typed elsewhere and is seen here was stored, and is taken out.
    typed = typed.filter { !before.contains($0.value.text) || text.contains($0.value.text) }
    typed[process] = text.allSatisfy(\.isWhitespace) ? nil : (text, time)
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
    kept.removeAll { text.contains($0) }
    if !isSent { released.append(text) }
    typed[process] = nil
    typed = typed.filter { !text.contains($0.value.text) }
  }
}

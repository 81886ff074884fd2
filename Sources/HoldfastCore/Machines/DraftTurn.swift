/// Which of several composers on one draft may write (SPEC D13). Pure.
///
/// Each change of the text has a number. An edit says which one it was made on:
///
/// ```
///   made on the newest text ───────────────────────────────────────────► it is written
///   older, by the composer that wrote last ────────────────────────────► it is written
///   older, while another composer has the focus ───────────────────────► it is set aside
///   older than a send or a discard ────────────────────────────────────► it is set aside
///   older, and nobody else has the focus ──────────────────────────────► it is written, what it replaces is set aside
/// ```
///
/// What is set aside becomes a version: nothing that was typed is lost, and no older text stands over a newer one.
package struct DraftTurn: Equatable, Sendable {
  package enum Verdict: Equatable, Sendable {
    case write
    /// What it replaces is kept as a version.
    case writeOver
    /// The text stays as it is, and what was typed is kept as a version.
    case setAside
  }

  /// The number of the newest text.
  package private(set) var revision = 0
  /// The composer that has the focus. Nil: none of them, or none that tells.
  private(set) var focused: ComposerID?
  /// The number of the text with which the draft was sent or discarded last.
  private var ended = 0
  /// Who wrote the newest text. Nil: the engine.
  private var lastWriter: ComposerID?

  package init(revision: Int = 0, focused: ComposerID? = nil) {
    self.revision = revision
    self.focused = focused
  }

  /// - Parameters:
  ///   - writer: the composer that it was typed into. Nil: none that could be behind.
  ///   - base: the number of the text that it was made on.
  package func verdict(on writer: ComposerID?, basedOn base: Int) -> Verdict {
    guard base < revision, let writer else { return .write }
    if base < ended { return .setAside }
    if let focused, focused != writer { return .setAside }
    return lastWriter == writer ? .write : .writeOver
  }

  /// The text is another now. Nil: by the engine, which took a message back or loaded what was stored.
  package mutating func wrote(_ writer: ComposerID?) {
    revision += 1
    lastWriter = writer
  }

  /// The text was sent or discarded, and is in the composer no more.
  package mutating func end() {
    wrote(nil)
    ended = revision
  }

  /// The drafts of two conversations are one now: no composer of either knows its text.
  package mutating func overtake(_ other: DraftTurn) {
    focused = focused ?? other.focused
    revision = max(revision, other.revision)
    ended = max(ended, other.ended)
    wrote(nil)
  }

  package mutating func focus(_ composer: ComposerID) { focused = composer }

  /// One that lost the focus to another takes nothing from that one.
  package mutating func blur(_ composer: ComposerID) { if focused == composer { focused = nil } }
}

/// One composer of this process.
package struct ComposerID: Hashable, Sendable {
  package let number: Int

  package init(number: Int) {
    self.number = number
  }

}

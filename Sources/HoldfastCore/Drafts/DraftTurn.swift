/// Decides which of several composers on one draft may write (rule D13). Pure.
///
/// Each change of the text has a number. An edit names the number of the text that it was made on:
///
/// ```
///   made on the newest text ───────────────────────────────────────────► it is written
///   older, by the composer that wrote last ────────────────────────────► it is written
///   older, while another composer has the focus ───────────────────────► it is set aside
///   older than a send or a discard ────────────────────────────────────► it is set aside
///   older, and no other composer has the focus ────────────────────────► it is written, what it replaces is set aside
/// ```
///
/// A text that is set aside becomes a version: nothing that was typed is lost, and no older text replaces a newer
/// one.
package struct DraftTurn: Equatable, Sendable {
  package enum Verdict: Equatable, Sendable {
    case write
    /// The edit is written, and the text that it replaces is kept as a version.
    case writeOver
    /// The text stays as it is, and the edit is kept as a version.
    case setAside
  }

  /// The number of the newest text.
  package private(set) var revision = 0
  /// The composer that has the focus. Nil when none has it, or none reports it.
  private(set) var focused: ComposerID?
  /// The number of the text at the last send or discard of the draft.
  private var ended = 0
  /// The composer that wrote the newest text. Nil when the engine wrote it.
  private var lastWriter: ComposerID?

  package init(revision: Int = 0, focused: ComposerID? = nil) {
    self.revision = revision
    self.focused = focused
  }

  /// - Parameters:
  ///   - writer: The composer that the edit was typed into. Nil when it cannot be out of date.
  ///   - base: The number of the text that the edit was made on.
  package func verdict(on writer: ComposerID?, basedOn base: Int) -> Verdict {
    guard base < revision, let writer else { return .write }
    if base < ended { return .setAside }
    if let focused, focused != writer { return .setAside }
    return lastWriter == writer ? .write : .writeOver
  }

  /// The text has changed. `writer` is nil when the engine changed it: it took a message back, or loaded the stored
  /// text.
  package mutating func wrote(_ writer: ComposerID?) {
    revision += 1
    lastWriter = writer
  }

  /// The draft was sent or discarded, and its text has left the composer.
  package mutating func end() {
    wrote(nil)
    ended = revision
  }

  /// The drafts of two conversations are merged. No composer of either shows the merged text.
  package mutating func overtake(_ other: DraftTurn) {
    focused = focused ?? other.focused
    revision = max(revision, other.revision)
    ended = max(ended, other.ended)
    wrote(nil)
  }

  package mutating func focus(_ composer: ComposerID) { focused = composer }

  /// The composer lost the focus. Nothing changes when another composer has it already.
  package mutating func blur(_ composer: ComposerID) { if focused == composer { focused = nil } }
}

/// A composer of this process.
package struct ComposerID: Hashable, Sendable {
  package let number: Int

  package init(number: Int) {
    self.number = number
  }

}

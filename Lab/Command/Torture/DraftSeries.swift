import Holdfast

/// The texts typed into a phone's composer, and so the texts that may be in it after the next launch. Pure.
///
/// ```
///   "" ── typed ──► "He" ── typed ──► "Hello" ── saved, or unchanged for long enough ──► only "Hello" may come back
///                                        └────── sent ──► only "" may come back
/// ```
///
/// Until a text is known to be stored, each of the texts may come back. The last stored one does, and from outside
/// it is unknown which one that was.
struct DraftSeries: Equatable, Sendable {
  /// The time after which an unchanged text is stored (rule D2). It is seven times the engine's delay, because a
  /// process on a busy machine is late.
  static let grace: Duration = .seconds(5)

  private struct Candidate: Equatable, Sendable {
    var text: String
    /// The time since which the running process has had the text. Nil when the process has not confirmed it.
    var since: ChatEnvironment.Instant?
  }

  private var typedTexts = [Candidate(text: "")]
  private var isStopped = false

  /// The texts that may come back, oldest first.
  var candidates: [String] { typedTexts.map(\.text) }

  /// Records that an edit is sent to the phone.
  mutating func type(_ text: String, at now: ChatEnvironment.Instant) {
    mature(at: now)
    typedTexts.append(Candidate(text: text))
  }

  /// Records that the phone has accepted the edit.
  mutating func typed(at now: ChatEnvironment.Instant) { typedTexts[typedTexts.count - 1].since = now }

  /// Records that the phone has stored its text on disk.
  mutating func stored() { typedTexts.removeFirst(typedTexts.count - 1) }

  /// Records that a text is typed and sent in one intent.
  mutating func send(_ text: String, at now: ChatEnvironment.Instant) {
    type(text, at: now)
    typedTexts.append(Candidate(text: ""))
  }

  /// Records that the phone has sent the text.
  mutating func sent() { stored() }

  /// Records that the phone could not send the text, which is still in the composer.
  mutating func refused() { typedTexts.removeLast() }

  /// Records that the process is stopped. Its autosave delay is stopped with it.
  mutating func stop(at now: ChatEnvironment.Instant) {
    mature(at: now)
    isStopped = true
  }

  mutating func resume(at now: ChatEnvironment.Instant) {
    isStopped = false
    if typedTexts[typedTexts.count - 1].since != nil { typedTexts[typedTexts.count - 1].since = now }
  }

  mutating func end(at now: ChatEnvironment.Instant) {
    mature(at: now)
    isStopped = false
    typedTexts[typedTexts.count - 1].since = nil
  }

  /// Records the text that came back at a launch. Returns whether this text may have come back.
  mutating func restore(_ text: String) -> Bool {
    defer { typedTexts = [Candidate(text: text)] }
    return typedTexts.contains { $0.text == text }
  }

  private mutating func mature(at now: ChatEnvironment.Instant) {
    guard !isStopped, let since = typedTexts.last?.since, now - since >= Self.grace else { return }
    stored()
  }
}

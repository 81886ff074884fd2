import Holdfast

/// What a phone's composer was told to hold, and so what may be in it after the next launch. Pure.
///
/// ```
///   "" ── typed ──► "He" ── typed ──► "Hello" ── saved, or left alone for long enough ──► only "Hello" may come back
///                                        └────── sent ──► only "" may come back
/// ```
///
/// Until something is known to be stored, each of the texts may come back: the one stored last is, and nobody can
/// say from outside which one that was.
struct DraftSeries: Equatable, Sendable {
  /// A text that was left alone for this long is stored (SPEC D2): seven times what the engine takes, because a
  /// process on a busy machine is late.
  static let grace: Duration = .seconds(5)

  private struct Told: Equatable, Sendable {
    var text: String
    /// Since when the running process has had it. Nil: it has not said so.
    var since: ChatEnvironment.Instant?
  }

  private var told = [Told(text: "")]
  private var isStopped = false

  /// Oldest first.
  var candidates: [String] { told.map(\.text) }

  /// An edit leaves for the phone.
  mutating func type(_ text: String, at now: ChatEnvironment.Instant) {
    mature(at: now)
    told.append(Told(text: text))
  }

  /// The phone has said that it took the edit.
  mutating func typed(at now: ChatEnvironment.Instant) { told[told.count - 1].since = now }

  /// The phone has said that what it holds is on disk.
  mutating func stored() { told.removeFirst(told.count - 1) }

  /// A text is typed and sent in one intent.
  mutating func send(_ text: String, at now: ChatEnvironment.Instant) {
    type(text, at: now)
    told.append(Told(text: ""))
  }

  /// The phone has said that it sent the text.
  mutating func sent() { stored() }

  /// The phone has said that it could not send it: it is still in the composer.
  mutating func refused() { told.removeLast() }

  /// The process stands still, and so does the time in which it could store anything.
  mutating func stop(at now: ChatEnvironment.Instant) {
    mature(at: now)
    isStopped = true
  }

  mutating func goOn(at now: ChatEnvironment.Instant) {
    isStopped = false
    if told[told.count - 1].since != nil { told[told.count - 1].since = now }
  }

  mutating func end(at now: ChatEnvironment.Instant) {
    mature(at: now)
    isStopped = false
    told[told.count - 1].since = nil
  }

  /// This came back at a launch. Returns whether it may have.
  mutating func restore(_ text: String) -> Bool {
    defer { told = [Told(text: text)] }
    return told.contains { $0.text == text }
  }

  private mutating func mature(at now: ChatEnvironment.Instant) {
    guard !isStopped, let since = told.last?.since, now - since >= Self.grace else { return }
    stored()
  }
}

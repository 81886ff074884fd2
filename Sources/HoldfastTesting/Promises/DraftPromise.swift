import Holdfast

/// What one composer holds, and how much of it is safe: kept by whoever types, and compared with what a
/// launch brings back.
struct DraftPromise: Sendable {
  /// D2: a pause this long, and what was typed is stored. A millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// What was stored for sure.
  private(set) var stored = ""
  /// What was typed since, each with its time. The last is what the composer shows.
  private var typed: [(text: String, at: Duration)] = []

  var text: String { typed.last?.text ?? stored }

  mutating func type(_ text: String, at time: Duration) { typed.append((Self.kept(text), time)) }

  /// Stored, because a call that stores it has returned, or because a launch has brought it back.
  mutating func store(_ text: String) { self = DraftPromise(stored: Self.kept(text)) }

  /// A message that was taken back stands in front of what was typed, and both are stored.
  mutating func takeBack(_ message: String) {
    store(text.isEmpty ? message : message + "\n" + text)
  }

  /// What was discarded stands in front of what was typed since; it is stored once the call returns that does it.
  /// Gives what the composer shows then.
  mutating func bringBack(_ discarded: String, at time: Duration) -> String {
    let whole = text.isEmpty ? discarded : discarded + "\n" + text
    type(whole, at: time)
    return whole
  }

  /// What a launch may bring back after an end at `end`. `savesItself`: autosave had a disk to write on.
  func mayComeBack(after end: Duration, savesItself: Bool) -> [String] {
    if savesItself, let last = typed.last, end - last.at > Self.pause { return [last.text] }
    return [stored] + typed.map(\.text)
  }

  /// White space is no draft (SPEC D6).
  private static func kept(_ text: String) -> String {
    text.allSatisfy(\.isWhitespace) ? "" : text
  }
}

extension DraftPromise {
  init(stored: String) {
    self.stored = stored
    typed = []
  }
}

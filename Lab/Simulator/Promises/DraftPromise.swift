import Holdfast

/// The text of one composer, and the part of it that is safe. It is kept by the simulated user, and compared with
/// the text that a launch restores.
struct DraftPromise: Sendable {
  /// The pause after which typed text is stored (rule D2): one millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// The text that is certainly stored.
  private(set) var stored = ""
  /// The texts typed since then, each with its time. The composer shows the last one.
  private var typed: [(text: String, at: Duration)] = []

  var text: String { typed.last?.text ?? stored }

  mutating func type(_ text: String, at time: Duration) { typed.append((Self.kept(text), time)) }

  /// Records a text as stored, because a call that stores it has returned, or because a launch has restored it.
  mutating func store(_ text: String) { self = DraftPromise(stored: Self.kept(text)) }

  /// Puts a message that was taken back before the typed text. Both are stored.
  mutating func takeBack(_ message: String) {
    store(text.isEmpty ? message : message + "\n" + text)
  }

  /// Puts a discarded text before the text typed since. The whole is stored once the call that does it returns.
  /// Returns the text that the composer then shows.
  mutating func bringBack(_ discarded: String, at time: Duration) -> String {
    let whole = text.isEmpty ? discarded : discarded + "\n" + text
    type(whole, at: time)
    return whole
  }

  /// The texts that a launch may restore after the process ended at `end`. `savesItself` is true when autosave had
  /// space on the disk.
  func mayComeBack(after end: Duration, savesItself: Bool) -> [String] {
    if savesItself, let last = typed.last, end - last.at > Self.pause { return [last.text] }
    return [stored] + typed.map(\.text)
  }

  /// Returns the text as a draft keeps it: white space is not a draft (rule D6).
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

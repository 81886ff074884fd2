import Holdfast

/// The text of one composer, and how much of it is safe. The simulated user keeps it, and it is compared with
/// the text that a launch brings back.
struct DraftPromise: Sendable {
  /// The pause after which typed text is stored (rule D2): one millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// The text that is stored for certain.
  private(set) var stored = ""
  /// The texts typed since then, each with its time. The composer shows the last one.
  private var typed: [(text: String, at: Duration)] = []

  var text: String { typed.last?.text ?? stored }

  mutating func type(_ text: String, at time: Duration) { typed.append((Self.kept(text), time)) }

  /// Notes a text as stored, because a call that stores it has returned, or because a launch has brought it
  /// back.
  mutating func store(_ text: String) { self = DraftPromise(stored: Self.kept(text)) }

  /// Puts a message that was taken back in front of the typed text. Both are stored.
  mutating func takeBack(_ message: String) {
    store(text.isEmpty ? message : message + "\n" + text)
  }

  /// Puts a discarded text in front of the text typed since. The whole is stored once the call that does it
  /// returns. Returns the text that the composer then shows.
  mutating func bringBack(_ discarded: String, at time: Duration) -> String {
    let whole = text.isEmpty ? discarded : discarded + "\n" + text
    type(whole, at: time)
    return whole
  }

  /// The texts that a launch may bring back after the process ended at `end`. `savesItself` is true when
  /// autosave had a disk to write on.
  func mayComeBack(after end: Duration, savesItself: Bool) -> [String] {
    if savesItself, let last = typed.last, end - last.at > Self.pause { return [last.text] }
    return [stored] + typed.map(\.text)
  }

  /// Returns the text as a draft keeps it: white space is no draft (rule D6).
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

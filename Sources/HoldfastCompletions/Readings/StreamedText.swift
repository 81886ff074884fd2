/// A text that comes in deltas, and that servers may tell again as a whole: at the end of a part of it, of its item, of the
/// answer. Some servers tell the whole alone, and some do not keep to one way. Each word counts once. Pure.
struct StreamedText: Sendable {
  /// Where a whole stands.
  enum Level: Int, CaseIterable { case text, part, item, answer }

  /// The parts of which a whole was told.
  private var wholes: [String] = []
  /// What the deltas have told behind these.
  private var open = ""
  /// The number of parts that each level has told.
  private var counts = [Int](repeating: 0, count: Level.allCases.count)

  /// Whether anything was told.
  var isEmpty: Bool { open.isEmpty && wholes.isEmpty }

  mutating func add(delta: String) { open += delta }

  /// Adds a part as a whole. Returns what of it is new.
  mutating func add(whole: String, at level: Level) -> String {
    guard !whole.isEmpty else { return "" }
    if !open.isEmpty, whole.utf8.starts(with: open.utf8) { return close(with: whole, at: level) }
    if let told = wholes[counts[level.rawValue]...].firstIndex(of: whole) {
      counts[level.rawValue] = told + 1
      return ""
    }
    guard !open.isEmpty else { return close(with: whole, at: level) }
    if open.utf8.starts(with: whole.utf8) {
      let rest = open.behind(whole)
      _ = close(with: whole, at: level, leaving: rest)
    } else {
      // The deltas say it otherwise, and they were read.
      _ = close(with: open, at: level)
    }
    return ""
  }

  /// Adds a text that may begin with all that came before, or go on with it. Returns what of it is new.
  mutating func add(growing text: String) -> String {
    let new = text.utf8.starts(with: open.utf8) ? text.behind(open) : text
    open += new
    return new
  }

  private mutating func close(with whole: String, at level: Level, leaving rest: String = "") -> String {
    let new = rest.isEmpty ? whole.behind(open) : ""
    wholes.append(whole)
    open = rest
    counts[level.rawValue] = wholes.count
    return new
  }
}

extension String {
  /// What stands behind a beginning that the text has, byte by byte: a character may go on behind it.
  fileprivate func behind(_ beginning: String) -> String {
    String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
  }
}

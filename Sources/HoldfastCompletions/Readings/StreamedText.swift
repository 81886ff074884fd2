import HoldfastCore

/// A text that comes in deltas, and that servers may send again as a whole: at the end of a part of it, of its item, of
/// the answer. Some servers send the whole alone, some repeat all words so far in each delta, and some do not keep to
/// one way. Each word counts once, and what the deltas sent is never emitted again by a whole that differs from it.
/// Pure.
struct StreamedText: Sendable {
  /// The level of a whole text.
  enum Level: Int, CaseIterable { case text, part, item, answer }

  private struct Part: Sendable {
    var text: String
    /// Whether deltas sent it. A whole of it may be spelled otherwise then.
    var isOfDeltas: Bool
  }

  /// The length from which on a delta that begins with all words before it is no chance.
  private static let certainLength = 4

  /// All that was emitted.
  private(set) var all = ""
  private var parts: [Part] = []
  /// What the deltas have sent behind these parts.
  private var open = ""
  /// The number of parts that each level has sent.
  private var counts = [Int](repeating: 0, count: Level.allCases.count)
  /// A delta that begins with all words before it. The next one shows whether each of them does.
  private var undecided: String?
  private var isGrowing = false

  /// Adds a delta. Returns what of it is new.
  mutating func add(delta: String) -> String {
    guard !delta.isEmpty else { return "" }
    let isLonger = delta.utf8.count > all.utf8.count && delta.utf8.starts(with: all.utf8)
    if let earlier = undecided {
      undecided = nil
      isGrowing = delta.utf8.count > earlier.utf8.count && delta.utf8.starts(with: earlier.utf8)
      let first = emit(isGrowing ? earlier.behind(all) : earlier)
      return first + add(delta: delta)
    }
    if isGrowing, isLonger || delta == all { return emit(delta.behind(all)) }
    guard isLonger, !all.isBlank, !isGrowing else { return emit(delta) }
    undecided = delta
    return ""
  }

  /// Adds a text that may begin with all that came before, or go on with it. Returns what of it is new.
  mutating func add(growing text: String) -> String {
    let isLonger = text.utf8.count > all.utf8.count && text.utf8.starts(with: all.utf8)
    return emit(isLonger ? text.behind(all) : text)
  }

  /// Adds the whole answer. Returns what of it is new: what goes on behind all that was emitted, or all of it where
  /// nothing was.
  mutating func add(answer: String) -> String {
    let rest = decide(before: answer)
    return rest + (answer.utf8.starts(with: all.utf8) ? emit(answer.behind(all)) : "")
  }

  /// Adds a part as a whole. Returns what of it is new.
  mutating func add(whole: String, at level: Level) -> String {
    guard !whole.isEmpty else { return "" }
    let rest = decide(before: whole)
    if !open.isEmpty, whole.utf8.starts(with: open.utf8) {
      let new = emit(whole.behind(open))
      close(with: whole, at: level)
      return rest + new
    }
    let count = counts[level.rawValue]
    if let place = parts[count...].firstIndex(where: { $0.text == whole }) {
      counts[level.rawValue] = place + 1
    } else if !open.isEmpty {
      // The deltas were read: the rest of them belongs to the next part, or they spell this one otherwise.
      let isBeginning = open.utf8.starts(with: whole.utf8)
      let behind = isBeginning ? open.behind(whole) : ""
      close(with: isBeginning ? whole : open, at: level, leaving: behind)
    } else if let place = parts[count...].firstIndex(where: \.isOfDeltas) {
      counts[level.rawValue] = place + 1
    } else {
      parts.append(Part(text: whole, isOfDeltas: false))
      counts[level.rawValue] = parts.count
      all += whole
      return rest + whole
    }
    return rest
  }

  /// The end of the answer. Returns what was held back.
  mutating func end() -> String {
    guard let text = undecided else { return "" }
    undecided = nil
    return emit(all.count >= Self.certainLength ? text.behind(all) : text)
  }

  /// Decides about a delta that was held back, in front of a whole.
  private mutating func decide(before whole: String) -> String {
    guard let text = undecided else { return "" }
    undecided = nil
    return emit(whole.utf8.starts(with: text.utf8) ? text.behind(all) : text)
  }

  private mutating func emit(_ text: String) -> String {
    all += text
    open += text
    return text
  }

  private mutating func close(with whole: String, at level: Level, leaving rest: String = "") {
    parts.append(Part(text: whole, isOfDeltas: true))
    open = rest
    counts[level.rawValue] = parts.count
  }
}

extension String {
  /// The rest behind a beginning that the text has, byte by byte: a character may go on behind it.
  func behind(_ beginning: String) -> String {
    String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
  }
}

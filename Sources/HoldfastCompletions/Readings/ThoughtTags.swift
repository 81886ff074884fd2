import Foundation
import HoldfastCore

/// Takes the thought out of a text that begins with it between tags: `<think>…</think>The answer.` So the templates of
/// many open models have it, where their server does not take it apart. Pure.
struct ThoughtTags: Sendable {
  private enum Place: Sendable { case beginning, thought(closing: String), behindThought, text }

  private static let names = ["think", "thinking", "thought", "thoughts", "reasoning", "seed:think"]
  /// The longest tag that is waited for.
  private static let longest = 64

  private var place = Place.beginning
  /// What may be a part of a tag, or the blanks around one.
  private var pending = ""
  private var hasThought = false

  /// Reads the next words. Returns what they are.
  mutating func read(_ text: String) -> [ModelPart] {
    pending += text
    var parts: [ModelPart] = []
    while let part = next() { parts.append(part) }
    return parts.filter { $0 != .reasoning("") && $0 != .text("") }
  }

  /// The end of the answer. Returns what was held back.
  mutating func end() -> [ModelPart] {
    defer { pending = "" }
    switch place {
    case _ where pending.isEmpty: return []
    case .behindThought where pending.isBlank: return []
    case .thought: return [.reasoning(pending)]
    case .beginning, .behindThought, .text: return [.text(pending)]
    }
  }

  /// Takes a part from what is pending. Nil when the rest has to wait for more.
  private mutating func next() -> ModelPart? {
    switch place {
    case .beginning, .behindThought: return begin()
    case .thought(let closing): return nextOfThought(closing)
    case .text:
      guard !pending.isEmpty else { return nil }
      defer { pending = "" }
      return .text(pending)
    }
  }

  /// Reads a tag that begins a thought, or finds that no tag begins.
  private mutating func begin() -> ModelPart? {
    let rest = pending.drop(while: \.isWhitespace)
    guard !rest.isEmpty else { return nil }
    if let (closing, behind) = Self.opening(rest) {
      (place, pending) = (.thought(closing: closing), String(behind))
      return .reasoning("")
    }
    if Self.mayOpen(rest) { return nil }
    if case .behindThought = place { pending = String(rest) }
    place = .text
    return next()
  }

  /// The beginning of the tag that closes, and the text behind the tag that opens. Nil when the text has no such tag.
  private static func opening(_ text: Substring) -> (closing: String, behind: Substring)? {
    for (left, right) in [("<", ">"), ("[", "]")] where text.hasPrefix(left) {
      guard let end = text.firstIndex(of: Character(right)) else { continue }
      let inside = text[text.index(after: text.startIndex)..<end].split(whereSeparator: \.isWhitespace)
      guard let name = inside.first?.lowercased(), names.contains(name), left == "<" || inside.count == 1
      else {
        continue
      }
      return ("\(left)/\(name)", text[text.index(after: end)...])
    }
    return nil
  }

  /// Whether the text may become a tag that opens.
  private static func mayOpen(_ text: Substring) -> Bool {
    guard text.count < longest, text.first == "<" || text.first == "[" else { return false }
    let inside = text.dropFirst().drop(while: \.isWhitespace)
    let name = inside.prefix { $0.isLetter || $0 == ":" }.lowercased()
    guard name.count < inside.count else { return names.contains { $0.hasPrefix(name) } }
    return names.contains(name) && inside.dropFirst(name.count).first?.isWhitespace == true
      && text.first == "<"
      && !text.contains(">")
  }

  /// Reads the thought up to the tag that closes it, whose end may have blanks in front of it.
  private mutating func nextOfThought(_ closing: String) -> ModelPart? {
    if !hasThought { pending = String(pending.drop(while: \.isNewline)) }
    hasThought = hasThought || !pending.isEmpty
    guard let tag = pending.range(of: closing, options: .caseInsensitive) else {
      let held = (1..<closing.count).last { pending.lowercased().hasSuffix(closing.prefix($0)) } ?? 0
      guard pending.count > held else { return nil }
      defer { pending = String(pending.suffix(held)) }
      return .reasoning(String(pending.dropLast(held)))
    }
    let rest = pending[tag.upperBound...].drop(while: \.isWhitespace)
    guard let end = rest.first else { return nil }
    // Otherwise it only looks like one.
    let isTag = end == ">" || end == "]"
    let (thought, behind) = (
      pending[..<(isTag ? tag.lowerBound : tag.upperBound)], pending[tag.upperBound...]
    )
    defer {
      pending = String(isTag ? rest.dropFirst() : behind)
      if isTag { place = .behindThought }
    }
    return .reasoning(String(thought))
  }
}

import Foundation

/// Takes the thought out of a text that begins with it between tags: `<think>…</think>The answer.` So the templates of many
/// open models have it, where their server does not take it apart. Pure.
struct ThoughtTags: Sendable {
  private enum Place: Sendable { case beginning, thought(closing: String), behindThought, text }

  private static let names = ["think", "thinking", "thought"]
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
    guard !pending.isEmpty else { return [] }
    if case .thought = place { return [.reasoning(pending)] }
    if case .behindThought = place { return [] }
    return [.text(pending)]
  }

  /// Takes a part from what is pending. Nil when the rest has to wait for more.
  private mutating func next() -> ModelPart? {
    switch place {
    case .beginning:
      let rest = pending.drop(while: \.isWhitespace)
      guard let name = Self.names.first(where: { rest.hasPrefix("<\($0)>") }) else {
        guard !Self.names.contains(where: { "<\($0)>".hasPrefix(rest) }) else { return nil }
        place = .text
        return next()
      }
      place = .thought(closing: "</\(name)>")
      pending = String(rest.dropFirst(name.count + 2))
      return .reasoning("")
    case .thought(let closing):
      if !hasThought { pending = String(pending.drop(while: \.isNewline)) }
      hasThought = hasThought || !pending.isEmpty
      guard let tag = pending.range(of: closing) else {
        let held = (1..<closing.count).last { pending.hasSuffix(closing.prefix($0)) } ?? 0
        guard pending.count > held else { return nil }
        defer { pending = String(pending.suffix(held)) }
        return .reasoning(String(pending.dropLast(held)))
      }
      defer {
        pending = String(pending[tag.upperBound...])
        place = .behindThought
      }
      return .reasoning(String(pending[..<tag.lowerBound]))
    case .behindThought:
      pending = String(pending.drop(while: \.isWhitespace))
      guard !pending.isEmpty else { return nil }
      place = .text
      return next()
    case .text:
      guard !pending.isEmpty else { return nil }
      defer { pending = "" }
      return .text(pending)
    }
  }
}

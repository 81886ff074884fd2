import Foundation
import HoldfastCore

/// The elements of HTML that Open WebUI writes into the text of an answer: thoughts, and the calls and results of
/// tools. Pure.
///
/// ```
///   <details type="reasoning" done="true" duration="3"><summary>Thought for 3 seconds</summary>
///   &gt; They mean the weather.
///   </details>
///   It rains.
/// ```
enum AnswerMarkup {
  private static let kinds: Set = [
    "reasoning", "tool_calls", "tool_call", "code_interpreter", "code_execution",
  ]

  /// The parts of the text: each a text, a thought, or a part of a tool.
  static func parts(of text: String) -> [JSONValue] {
    var (parts, rest, isFirst) = ([JSONValue](), text[...], true)
    func add(_ text: Substring) {
      let shown = String(text).trimmed
      if !shown.isEmpty { parts.append(.text(shown)) }
    }
    while let found = element(in: rest, isFirst) {
      add(rest[..<found.range.lowerBound])
      parts.append(part(found))
      rest = rest[found.range.upperBound...]
      isFirst = false
    }
    guard !parts.isEmpty || rest.startIndex != text.startIndex else { return [.text(text)] }
    add(rest)
    return parts
  }

  private struct Element {
    var range: Range<String.Index>
    var attributes: [String: String]
    var inside: Substring
  }

  private static func part(_ element: Element) -> JSONValue {
    let inside = content(of: element.inside)
    let kind = element.attributes["type"] ?? ""
    guard kind != "reasoning" else {
      return .object(["type": .text("thinking"), "thinking": .text(inside)])
    }
    var part = element.attributes.filter { !["done", "type"].contains($0.key) && !$0.value.isEmpty }
      .mapValues(JSONValue.text)
    part["type"] = .text(kind.hasPrefix("tool") ? "tool_call" : "code_interpreter_call")
    if !inside.isEmpty { part["content"] = .text(inside) }
    return .object(part)
  }

  /// The text inside an element, without its summary and its quotation marks.
  private static func content(of inside: Substring) -> String {
    var inside = inside
    if let begin = inside.range(of: "<summary", options: .caseInsensitive),
      inside[..<begin.lowerBound].allSatisfy(\.isWhitespace),
      let end = inside.range(of: "</summary>", options: .caseInsensitive)
    {
      inside = inside[end.upperBound...]
    }
    let lines = unescaped(inside).trimmed.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.allSatisfy({ $0.hasPrefix(">") || $0.allSatisfy(\.isWhitespace) }) else {
      return lines.joined(separator: "\n")
    }
    return lines.map { $0.hasPrefix("> ") ? $0.dropFirst(2) : $0.dropFirst($0.hasPrefix(">") ? 1 : 0) }
      .joined(separator: "\n").trimmed
  }

  /// The first element of one of the kinds. An unclosed element extends to the end of the text.
  private static func element(in text: Substring, _ isFirst: Bool) -> Element? {
    if isFirst, let thought = thought(text) { return thought }
    var (from, fences) = (text.startIndex, 0)
    while let begin = text[from...].range(of: "<details", options: .caseInsensitive) {
      fences += self.fences(in: text[from..<begin.lowerBound])
      from = begin.upperBound
      // A block of code shows its contents literally.
      guard fences.isMultiple(of: 2), let tag = tag(text[begin.upperBound...]),
        let kind = tag.attributes["type"], kinds.contains(kind)
      else { continue }
      let (inside, end) = inside(text[tag.end...], "<details", "</details>")
      return Element(range: begin.lowerBound..<end, attributes: tag.attributes, inside: inside)
    }
    return nil
  }

  /// Thoughts before a text, as some models write them.
  private static func thought(_ text: Substring) -> Element? {
    let trimmed = text.drop(while: \.isWhitespace)
    for name in ["think", "thinking", "thought", "reasoning"] where trimmed.hasPrefix("<\(name)>") {
      let begin = trimmed.index(trimmed.startIndex, offsetBy: name.count + 2)
      let (inside, end) = inside(text[begin...], "<\(name)>", "</\(name)>")
      return Element(range: text.startIndex..<end, attributes: ["type": "reasoning"], inside: inside)
    }
    return nil
  }

  /// The contents up to the end of an element, which may contain others of its name.
  private static func inside(
    _ text: Substring, _ open: String, _ close: String
  ) -> (inside: Substring, end: String.Index) {
    var (depth, from) = (1, text.startIndex)
    while let end = text[from...].range(of: close, options: .caseInsensitive) {
      var inner = from
      while let next = text[inner..<end.lowerBound].range(of: open, options: .caseInsensitive) {
        depth += 1
        inner = next.upperBound
      }
      depth -= 1
      if depth == 0 { return (text[..<end.lowerBound], end.upperBound) }
      from = end.upperBound
    }
    return (text, text.endIndex)
  }

  /// The number of lines that begin or end a block of code.
  private static func fences(in text: Substring) -> Int {
    text.split(separator: "\n").count { $0.drop { $0 == " " }.hasPrefix("```") }
  }

  /// The attributes of a tag whose name was already read. Nil when the name continues, or the tag has no end.
  private static func tag(_ text: Substring) -> (attributes: [String: String], end: String.Index)? {
    guard text.first.map({ $0.isWhitespace || $0 == ">" }) == true else { return nil }
    var (attributes, rest) = ([String: String](), text)
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "/" }
      guard let first = rest.first else { return nil }
      if first == ">" { return (attributes, rest.index(after: rest.startIndex)) }
      let name = rest.prefix { !$0.isWhitespace && !"=>/".contains($0) }
      guard !name.isEmpty else { return nil }
      rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
      guard rest.first == "=" else {
        attributes[name.lowercased()] = ""
        continue
      }
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      let value: Substring
      if let quote = rest.first, quote == "\"" || quote == "'" {
        guard let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
        value = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
      } else {
        value = rest.prefix { !$0.isWhitespace && $0 != ">" }
        rest = rest.dropFirst(value.count)
      }
      attributes[name.lowercased()] = unescaped(value)
    }
  }

  private static let entities: [Substring: String] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "nbsp": " ",
  ]

  /// The text with its entities replaced by their characters.
  private static func unescaped(_ text: Substring) -> String {
    var (shown, rest) = ("", text)
    while let at = rest.firstIndex(of: "&") {
      shown += rest[..<at]
      let behind = rest[rest.index(after: at)...]
      let name = behind.prefix(10).prefix { $0 != ";" }
      if behind.dropFirst(name.count).first == ";", let character = character(name) {
        shown += character
        rest = behind.dropFirst(name.count + 1)
      } else {
        shown += "&"
        rest = behind
      }
    }
    return shown + rest
  }

  private static func character(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return entities[name] }
    let digits = name.dropFirst()
    let number = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { String($0) }
  }
}

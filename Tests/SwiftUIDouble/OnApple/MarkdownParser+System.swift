import HoldfastPresenters

// What Sources/HoldfastPresenters/Markdown/MarkdownParser+Foundation.swift adds on Apple's systems.
extension MarkdownParser {
  static let system = MarkdownParser.cmark
}

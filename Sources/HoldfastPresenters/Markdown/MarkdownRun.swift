/// A part of a parsed text with one style, and the blocks around it. A parser gives a text as a flat list of these, as
/// Foundation's does.
package struct MarkdownRun: Sendable, Hashable {
  package var text: String
  /// The blocks around the run, the innermost first.
  package var intents: [MarkdownIntent]
  package var styles: MarkdownStyles
  /// The address of a link, or of an image. It is untrusted.
  package var link: String?

  package init(
    _ text: String, in intents: [MarkdownIntent] = [], _ styles: MarkdownStyles = [], link: String? = nil
  ) {
    (self.text, self.intents, self.styles, self.link) = (text, intents, styles, link)
  }
}

/// A block around a run. It is a neutral copy of Foundation's `PresentationIntent.IntentType`, which Linux lacks.
package struct MarkdownIntent: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case paragraph, heading(level: Int), code(language: String?), rule, quote
    case orderedList, unorderedList, listItem(ordinal: Int)
    case table(columns: [MarkdownTable.Alignment]), headerRow, row(index: Int), cell(column: Int)
  }

  package var kind: Kind
  /// Tells two blocks of one kind apart.
  package var identity: Int

  package init(_ kind: Kind, _ identity: Int) { (self.kind, self.identity) = (kind, identity) }
}

/// The styles of a run.
package struct MarkdownStyles: OptionSet, Sendable, Hashable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let emphasis = MarkdownStyles(rawValue: 1)
  package static let strong = MarkdownStyles(rawValue: 2)
  package static let code = MarkdownStyles(rawValue: 4)
  package static let strikethrough = MarkdownStyles(rawValue: 8)
}

/// Reads Markdown as a flat list of runs: Foundation's parser on Apple's systems.
package struct MarkdownParser: Sendable {
  /// Parses a whole text. A damaged text is parsed as far as it can be.
  package let parse: @Sendable (String) -> [MarkdownRun]

  package init(_ parse: @escaping @Sendable (String) -> [MarkdownRun]) { self.parse = parse }
}

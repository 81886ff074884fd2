/// A block of a message in Markdown, as a view draws it.
package struct MarkdownBlock: Sendable, Hashable, Identifiable {
  /// The position of a block in its text. It stays while words are added at the end. It is unique among the blocks of
  /// one parent.
  package struct ID: Sendable, Hashable {
    /// The offset of the piece that was parsed at once, in bytes of UTF-8.
    package var piece: Int
    /// The number of the block in the piece, or in its parent.
    package var index: Int
  }

  package indirect enum Content: Sendable, Hashable {
    case paragraph([MarkdownSpan])
    case heading(level: Int, [MarkdownSpan])
    case list(MarkdownList)
    case quote([MarkdownBlock])
    case code(language: String?, text: String)
    case table(MarkdownTable)
    case rule
  }

  package var id: ID
  package var content: Content

  /// The number of texts that a view makes for the block.
  var leaves: Int {
    switch content {
    case .paragraph, .heading, .code, .rule: 1
    case .quote(let blocks): blocks.reduce(1) { $0 + $1.leaves }
    case .list(let list): list.items.reduce(1) { $1.blocks.reduce($0 + 1) { $0 + $1.leaves } }
    case .table(let table): table.rows.reduce(table.header.count) { $0 + $1.cells.count }
    }
  }
}

/// A part of a paragraph with one style.
package struct MarkdownSpan: Sendable, Hashable {
  package var text: String
  package var styles: MarkdownStyles = []
  /// The address of a link in the web. It is untrusted: it is shown before it is opened.
  package var link: String?

  package init(_ text: String, _ styles: MarkdownStyles = [], link: String? = nil) {
    (self.text, self.styles, self.link) = (text, styles, link)
  }
}

/// A list. Its items are blocks.
package struct MarkdownList: Sendable, Hashable {
  package struct Item: Sendable, Hashable, Identifiable {
    package var id: Int
    /// The mark before the item: "•", or its number.
    package var mark: String
    package var blocks: [MarkdownBlock]
  }

  package var isOrdered: Bool
  package var items: [Item]
}

/// A table. Each row has as many cells as the header.
package struct MarkdownTable: Sendable, Hashable {
  package enum Alignment: Sendable, Hashable {
    case leading, center, trailing
  }

  package struct Row: Sendable, Hashable, Identifiable {
    package var id: Int
    package var cells: [Cell]
  }

  package struct Cell: Sendable, Hashable, Identifiable {
    /// The column.
    package var id: Int
    package var spans: [MarkdownSpan]
    package var alignment: Alignment
    /// The words for a screen reader: the name of the column, and the cell.
    package var spoken: String
  }

  package var header: [Cell]
  package var rows: [Row]
}

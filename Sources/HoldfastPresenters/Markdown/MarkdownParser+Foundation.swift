#if canImport(Darwin)
  import Foundation

  extension MarkdownParser {
    /// Foundation's parser. It fetches nothing, and runs nothing of the text.
    package static let system = MarkdownParser { text in
      let options = AttributedString.MarkdownParsingOptions(
        interpretedSyntax: .full, failurePolicy: .returnPartiallyParsedIfPossible)
      guard let parsed = try? AttributedString(markdown: text, options: options, baseURL: nil) else {
        return [MarkdownRun(text)]
      }
      return parsed.runs.map { run in
        let style = run.inlinePresentationIntent ?? []
        let isBreak = !style.isDisjoint(with: [.softBreak, .lineBreak])
        return MarkdownRun(
          isBreak ? "\n" : String(parsed[run.range].characters),
          in: (run.presentationIntent?.components ?? []).map(MarkdownIntent.init), MarkdownStyles(style),
          link: (run.link ?? run.imageURL)?.absoluteString)
      }
    }
  }

  extension MarkdownIntent {
    fileprivate init(_ intent: PresentationIntent.IntentType) {
      self.init(Kind(intent.kind), intent.identity)
    }
  }

  extension MarkdownIntent.Kind {
    fileprivate init(_ kind: PresentationIntent.Kind) {
      switch kind {
      case .paragraph: self = .paragraph
      case .header(let level): self = .heading(level: level)
      case .codeBlock(let language): self = .code(language: language)
      case .thematicBreak: self = .rule
      case .blockQuote: self = .quote
      case .orderedList: self = .orderedList
      case .unorderedList: self = .unorderedList
      case .listItem(let ordinal): self = .listItem(ordinal: ordinal)
      case .table(let columns): self = .table(columns: columns.map { .init($0.alignment) })
      case .tableHeaderRow: self = .headerRow
      case .tableRow(let index): self = .row(index: index)
      case .tableCell(let column): self = .cell(column: column)
      @unknown default: self = .paragraph
      }
    }
  }

  extension MarkdownTable.Alignment {
    fileprivate init(_ alignment: PresentationIntent.TableColumn.Alignment) {
      switch alignment {
      case .left: self = .leading
      case .center: self = .center
      case .right: self = .trailing
      @unknown default: self = .leading
      }
    }
  }

  extension MarkdownStyles {
    fileprivate init(_ intent: InlinePresentationIntent) {
      self = []
      if intent.contains(.emphasized) { insert(.emphasis) }
      if intent.contains(.stronglyEmphasized) { insert(.strong) }
      if intent.contains(.code) { insert(.code) }
      if intent.contains(.strikethrough) { insert(.strikethrough) }
    }
  }
#endif

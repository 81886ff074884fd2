/// Folds the runs of a parsed text into blocks. Pure, and total: runs that no parser gives are folded too.
struct MarkdownFolding {
  /// The most blocks that one block is nested in. A run below them is drawn in the innermost of these.
  static let maximumDepth = 12
  /// The offset of the piece, which is a part of each block's ID.
  let piece: Int

  func blocks(_ runs: [MarkdownRun]) -> [MarkdownBlock] {
    blocks(runs.map(withoutDepth)[...], 0)
  }

  /// The blocks of runs that have their outer blocks, up to `level`, in common.
  private func blocks(_ runs: ArraySlice<MarkdownRun>, _ level: Int) -> [MarkdownBlock] {
    groups(runs, level).flatMap { contents($0, level) }.enumerated().map {
      MarkdownBlock(id: .init(piece: piece, index: $0), content: $1)
    }
  }

  private func contents(_ runs: ArraySlice<MarkdownRun>, _ level: Int) -> [MarkdownBlock.Content] {
    switch intent(runs, level)?.kind {
    case nil, .paragraph, .cell: [.paragraph(spans(runs))]
    case .heading(let number): [.heading(level: min(max(number, 1), 6), spans(runs))]
    case .code(let language): [.code(language: word(language), text: text(runs))]
    case .rule: [.rule]
    case .quote: [.quote(blocks(runs, level + 1))]
    case .orderedList: [.list(list(runs, level, isOrdered: true))]
    case .unorderedList: [.list(list(runs, level, isOrdered: false))]
    case .table(let columns): [.table(table(runs, level, columns))]
    // Without a list or a table around it.
    case .listItem, .headerRow, .row: blocks(runs, level + 1).map(\.content)
    }
  }

  private func list(_ runs: ArraySlice<MarkdownRun>, _ level: Int, isOrdered: Bool) -> MarkdownList {
    let items = groups(runs, level + 1).enumerated().map { index, runs in
      var mark = "•"
      var inner = level + 1
      if case .listItem(let ordinal)? = intent(runs, inner)?.kind {
        inner += 1
        if isOrdered { mark = "\(ordinal)." }
      }
      return MarkdownList.Item(id: index, mark: mark, blocks: blocks(runs, inner))
    }
    return MarkdownList(isOrdered: isOrdered, items: items)
  }

  private func table(_ runs: ArraySlice<MarkdownRun>, _ level: Int, _ columns: [MarkdownTable.Alignment])
    -> MarkdownTable
  {
    var header: [[MarkdownSpan]] = []
    var rows: [[[MarkdownSpan]]] = []
    for row in groups(runs, level + 1) {
      let cells = cells(row, level + 2, columns.count)
      if case .headerRow? = intent(row, level + 1)?.kind { header = cells } else { rows.append(cells) }
    }
    if header.isEmpty { header = Array(repeating: [], count: columns.count) }
    let names = header.map(Self.words)
    func line(_ cells: [[MarkdownSpan]], isHeader: Bool) -> [MarkdownTable.Cell] {
      columns.indices.map { column in
        let name = names[column].isEmpty || isHeader ? "" : names[column] + ": "
        return .init(
          id: column, spans: cells[column], alignment: columns[column],
          spoken: name + Self.words(cells[column]))
      }
    }
    return MarkdownTable(
      header: line(header, isHeader: true),
      rows: rows.enumerated().map { .init(id: $0, cells: line($1, isHeader: false)) })
  }

  /// A cell without words has no run, so that a cell names its column.
  private func cells(_ runs: ArraySlice<MarkdownRun>, _ level: Int, _ columns: Int) -> [[MarkdownSpan]] {
    var cells: [[MarkdownSpan]] = Array(repeating: [], count: columns)
    for cell in groups(runs, level) {
      guard case .cell(let column)? = intent(cell, level)?.kind, cells.indices.contains(column) else {
        continue
      }
      cells[column] += spans(cell)
    }
    return cells
  }

  /// Neighbours in the same block.
  private func groups(_ runs: ArraySlice<MarkdownRun>, _ level: Int) -> [ArraySlice<MarkdownRun>] {
    var groups: [ArraySlice<MarkdownRun>] = []
    var start = runs.startIndex
    for index in runs.indices.dropFirst() where runs[index].intent(level) != runs[index - 1].intent(level) {
      groups.append(runs[start..<index])
      start = index
    }
    if start < runs.endIndex { groups.append(runs[start...]) }
    return groups
  }

  private func intent(_ runs: ArraySlice<MarkdownRun>, _ level: Int) -> MarkdownIntent? {
    runs.first?.intent(level)
  }

  /// Only an address in the web is a link. A picture without a text of its own is its address.
  private func spans(_ runs: ArraySlice<MarkdownRun>) -> [MarkdownSpan] {
    var spans: [MarkdownSpan] = []
    for run in runs {
      let link = run.link.flatMap { PresentedReference.isWeb($0) ? $0 : nil }
      let isUnnamed = run.text.isEmpty || run.text == "\u{FFFC}"
      let span = MarkdownSpan(isUnnamed ? run.link ?? "" : run.text, run.styles, link: link)
      if let last = spans.last, last.styles == span.styles, last.link == span.link {
        spans[spans.count - 1].text += span.text
      } else if !span.text.isEmpty {
        spans.append(span)
      }
    }
    while spans.last?.text.last == "\n" { spans[spans.count - 1].text.removeLast() }
    return spans
  }

  /// The text of a block of code, without the end of its last line, and without empty lines after that.
  private func text(_ runs: ArraySlice<MarkdownRun>) -> String {
    var text = runs.map(\.text).joined()
    while text.last == "\n" { text.removeLast() }
    return text
  }

  /// The first word after a fence.
  private func word(_ language: String?) -> String? {
    language?.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }

  private static func words(_ spans: [MarkdownSpan]) -> String { spans.map(\.text).joined() }

  private func withoutDepth(_ run: MarkdownRun) -> MarkdownRun {
    guard run.intents.count > Self.maximumDepth, let leaf = run.intents.first else { return run }
    var run = run
    run.intents = [leaf] + run.intents.suffix(Self.maximumDepth - 1)
    return run
  }
}

extension MarkdownRun {
  /// The block at a level: 0 is the outermost.
  fileprivate func intent(_ level: Int) -> MarkdownIntent? {
    level < intents.count ? intents[intents.count - 1 - level] : nil
  }
}

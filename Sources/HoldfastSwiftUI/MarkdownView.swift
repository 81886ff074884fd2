#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A text in Markdown. Nothing is fetched for it, and a tap on a link shows the whole address, and asks.
  struct MarkdownView: View {
    let text: String
    /// Whether more words come.
    let isStreaming: Bool
    let client: ChatClient
    @State private var memory = MarkdownMemory()
    @State private var link: PresentedLink?
    @State private var isAsked = false
    @Environment(\.openURL) private var openURL

    var body: some View {
      Group {
        if let blocks = memory.answer.blocks(of: text, isStreaming: isStreaming) {
          MarkdownBlocks(blocks: blocks, client: client)
        } else {
          Text(verbatim: text)
        }
      }
      .environment(
        \.openURL,
        OpenURLAction { url in
          link = PresentedLink(url)
          isAsked = link != nil
          return .handled
        }
      )
      .alert(Text(verbatim: link?.host ?? ""), isPresented: $isAsked, presenting: link) { link in
        Button(client.label(.open)) { openURL(link.url) }
        Button(client.label(.cancel), role: .cancel) {}
      } message: { link in
        Text(verbatim: link.address)
      }
    }
  }

  /// The parsed part of a text. It is kept between two updates, and no view observes it.
  @MainActor private final class MarkdownMemory {
    var answer = MarkdownAnswer(.system)
  }

  /// Blocks, one below the other.
  private struct MarkdownBlocks: View {
    let blocks: [MarkdownBlock]
    let client: ChatClient

    var body: some View {
      VStack(alignment: .leading, spacing: 8) {
        ForEach(blocks) { block in MarkdownBlockView(block: block, client: client) }
      }
    }
  }

  private struct MarkdownBlockView: View {
    let block: MarkdownBlock
    let client: ChatClient

    var body: some View {
      switch block.content {
      case .paragraph(let spans): MarkdownText(spans: spans)
      case .heading(let level, let spans):
        MarkdownText(spans: spans).font(Self.fonts[min(level, Self.fonts.count) - 1])
          .accessibilityAddTraits(.isHeader)
      case .list(let list): MarkdownListView(list: list, client: client)
      case .quote(let blocks):
        MarkdownBlocks(blocks: blocks, client: client)
          .foregroundStyle(.secondary)
          .padding(8)
          .background(Color.gray.opacity(0.15), in: RoundedRectangle(cornerRadius: 8))
      case .code(let language, let text): MarkdownCode(language: language, text: text, client: client)
      case .table(let table): MarkdownTableView(table: table)
      case .rule: Divider()
      }
    }

    private static let fonts: [Font] = [.title2, .title3, .headline]
  }

  private struct MarkdownText: View {
    let spans: [MarkdownSpan]
    @Environment(\.takesTaps) private var takesTaps

    var body: some View {
      Text(attributed)
    }

    private var attributed: AttributedString {
      spans.reduce(into: AttributedString()) { whole, span in
        var part = AttributedString(span.text)
        part.inlinePresentationIntent = InlinePresentationIntent(span.styles)
        if takesTaps, let link = span.link { part.link = URL(string: link) }
        whole += part
      }
    }
  }

  extension InlinePresentationIntent {
    fileprivate init(_ styles: MarkdownStyles) {
      self = []
      if styles.contains(.emphasis) { insert(.emphasized) }
      if styles.contains(.strong) { insert(.stronglyEmphasized) }
      if styles.contains(.code) { insert(.code) }
      if styles.contains(.strikethrough) { insert(.strikethrough) }
    }
  }

  private struct MarkdownListView: View {
    let list: MarkdownList
    let client: ChatClient

    var body: some View {
      VStack(alignment: .leading, spacing: 4) {
        ForEach(list.items) { item in
          HStack(alignment: .firstTextBaseline, spacing: 6) {
            Text(verbatim: item.mark).foregroundStyle(.secondary).accessibilityHidden(!list.isOrdered)
            MarkdownBlocks(blocks: item.blocks, client: client)
          }
        }
      }
    }
  }

  /// A block of code. It is written from left to right in every language, and long lines scroll sideways.
  private struct MarkdownCode: View {
    let language: String?
    let text: String
    let client: ChatClient
    @State private var isCopied = false
    @Environment(\.takesTaps) private var takesTaps

    var body: some View {
      VStack(alignment: .leading, spacing: 4) {
        HStack {
          Text(verbatim: language ?? "").foregroundStyle(.secondary)
          Spacer()
          if takesTaps {
            Button(client.label(isCopied ? .copied : .copy)) {
              Clipboard.copy(text)
              isCopied = true
            }
          }
        }
        .font(.caption)
        ScrollView(.horizontal) { Text(verbatim: text).font(.body.monospaced()) }
          .environment(\.layoutDirection, .leftToRight)
      }
      .padding(8)
      .background(Color.gray.opacity(0.15), in: RoundedRectangle(cornerRadius: 8))
      .onChange(of: text) { isCopied = false }
    }
  }

  /// A table. A screen reader reads it row by row, each cell with the name of its column.
  private struct MarkdownTableView: View {
    let table: MarkdownTable

    var body: some View {
      ScrollView(.horizontal) {
        Grid(alignment: .leading, horizontalSpacing: 12, verticalSpacing: 6) {
          GridRow { cells(table.header) }.font(.headline)
          Divider()
          ForEach(table.rows) { row in
            GridRow { cells(row.cells) }
          }
        }
      }
    }

    private func cells(_ cells: [MarkdownTable.Cell]) -> some View {
      ForEach(cells) { cell in
        MarkdownText(spans: cell.spans)
          .gridColumnAlignment(cell.alignment.guide)
          .accessibilityLabel(Text(verbatim: cell.spoken))
      }
    }
  }

  extension MarkdownTable.Alignment {
    fileprivate var guide: HorizontalAlignment {
      switch self {
      case .leading: .leading
      case .center: .center
      case .trailing: .trailing
      }
    }
  }
#endif

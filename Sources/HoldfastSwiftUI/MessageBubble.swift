#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The text of a message in its bubble, with the message that it answers, and with the reasoning of a model. Nothing,
  /// for a message that has only files. The bubble has the tint of its environment.
  ///
  /// ```swift
  /// MessageBubble(message)
  /// MessageBubble(message) { row in Text(row.text).bold() }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct MessageBubble<Content: View>: View {
    private let message: ShownMessage
    private let text: (MessageRow) -> Content
    @Environment(\.markdownRoles) private var markdownRoles

    /// - Parameters:
    ///   - message: the message.
    ///   - text: the text of a message that was not deleted.
    public init(_ message: ShownMessage, @ViewBuilder text: @escaping (MessageRow) -> Content) {
      (self.message, self.text) = (message, text)
    }

    public var body: some View {
      if row.quote != nil || row.reasoning != nil || !message.looks.body.isEmpty {
        VStack(alignment: .leading, spacing: 4) {
          if let quote = row.quote {
            Text(verbatim: quote.note ?? quote.excerpt).font(.footnote).foregroundStyle(.secondary)
              .lineLimit(2)
          }
          if let reasoning = row.reasoning {
            ReasoningView(
              label: message.client.text(.reasoning), text: reasoning, isOpen: message.looks.showsReasoning)
          }
          if row.note != nil {
            Text(verbatim: message.looks.body).italic().foregroundStyle(.secondary)
          } else if message.looks.isLarge {
            text(row).font(.largeTitle)
          } else if !message.looks.body.isEmpty {
            text(row)
          }
        }
        .padding(10)
        .background(.tint.opacity(message.isOwn ? 0.2 : 0), in: RoundedRectangle(cornerRadius: 16))
        .background(Color.gray.opacity(message.isOwn ? 0 : 0.2), in: RoundedRectangle(cornerRadius: 16))
        .accessibilityElement(children: isRead ? .contain : .combine)
        .accessibilityLabel(Text(verbatim: isRead ? row.senderName : message.looks.spoken))
      }
    }

    private var row: MessageRow { message.row }

    /// Whether a screen reader goes through the text, for its headings, tables and buttons.
    private var isRead: Bool {
      Content.self == MessageText.self && PresentedText(row, markdown: markdownRoles).isMarkdown
    }
  }

  extension MessageBubble where Content == MessageText {
    /// A bubble as ``ConversationScreen`` shows it.
    public init(_ message: ShownMessage) {
      self.init(message) { row in MessageText(row, in: message.client) }
    }
  }

  /// The reasoning of a model. It is open while there is nothing else to read, until its reader opens or closes it.
  private struct ReasoningView: View {
    let label: String
    let text: String
    let isOpen: Bool
    @State private var choice: Bool?

    var body: some View {
      DisclosureGroup(isExpanded: isExpanded) {
        Text(verbatim: text).font(.footnote)
      } label: {
        Text(verbatim: label).font(.footnote)
      }
    }

    private var isExpanded: Binding<Bool> {
      Binding { @MainActor in
        choice ?? isOpen
      } set: { @MainActor isOpen in
        choice = isOpen
      }
    }
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A message with everything around it: the day, the sender, the files, the bubble, the reactions and the status. A
  /// tap on an unsent message, and a long press on any other, opens its actions.
  ///
  /// ```swift
  /// MessageRowView(message)
  /// MessageRowView(message) { row in Text(row.text).bold() }                                  // a text of your own
  /// MessageRowView(
  ///   message, text: { row in MessageText(row, in: client) }, attachment: { file in Text(file.attachment.name) },
  ///   menu: { row in Button("Report") { report(row.id) } })
  /// ```
  ///
  /// The actions are carried out by `messageActions(_:writer:)`. Without it none is shown.
  /// **Experimental**: type-checked, and never run on a device.
  public struct MessageRowView<Content: View, File: View, Items: View>: View {
    private let message: ShownMessage
    private let text: (MessageRow) -> Content
    private let attachment: (AttachmentRow) -> File
    private let menu: (MessageRow) -> Items

    /// - Parameters:
    ///   - message: the message.
    ///   - text: the text of a message that was not deleted.
    ///   - attachment: a file of the message.
    ///   - menu: what follows the actions of the message in its menu.
    public init(
      _ message: ShownMessage, @ViewBuilder text: @escaping (MessageRow) -> Content,
      @ViewBuilder attachment: @escaping (AttachmentRow) -> File,
      @ViewBuilder menu: @escaping (MessageRow) -> Items
    ) {
      (self.message, self.text, self.attachment, self.menu) = (message, text, attachment, menu)
    }

    public var body: some View {
      VStack(alignment: message.side, spacing: 2) {
        if message.beginsDay {
          Text(message.row.createdAt, style: .date).font(.caption).foregroundStyle(.secondary)
            .frame(maxWidth: .infinity)
        }
        if !message.row.isMine, message.beginsGroup {
          Text(verbatim: message.row.senderName).font(.caption).foregroundStyle(.secondary)
        }
        if message.looks.tap.isEmpty {
          VStack(alignment: message.side, spacing: 2) {
            files
            MessageBubble(message, text: text)
          }
          .messageMenu(message, items: menu)
          MessageReactions(message)
          MessageStatusView(message)
        } else {
          // Controls in the label of a menu take no taps.
          files
          VStack(alignment: message.side, spacing: 2) {
            MessageBubble(message, text: text)
            MessageStatusView(message)
          }
          .messageMenu(message, items: menu)
        }
      }
      .padding(message.isOwn ? .leading : .trailing, 40)
      .frame(maxWidth: .infinity, alignment: message.isOwn ? .trailing : .leading)
      .accessibilityElement(children: .contain)
    }

    @ViewBuilder private var files: some View {
      ForEach(message.row.attachments) { file in attachment(file) }
      ForEach(
        PresentedReference.all(in: message.row.content, message.client.configuration.texts), id: \.self
      ) { reference in
        ReferenceView(reference: reference, client: message.client)
      }
    }
  }

  extension MessageRowView where File == AttachmentView, Items == EmptyView {
    /// A row with a text of the app's own.
    public init(_ message: ShownMessage, @ViewBuilder text: @escaping (MessageRow) -> Content) {
      let client = message.client
      self.init(message, text: text, attachment: { file in AttachmentView(file, in: client) }, menu: { _ in })
    }
  }

  extension MessageRowView where Content == MessageText, File == AttachmentView, Items == EmptyView {
    /// A row as ``ConversationScreen`` shows it.
    public init(_ message: ShownMessage) {
      self.init(message) { row in MessageText(row, in: message.client) }
    }
  }

  /// The row of a message, with nothing of it replaced.
  public typealias StandardMessageRow = MessageRowView<MessageText, AttachmentView, EmptyView>
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The part of a message that an app draws itself: see ``ConversationScreen``.
  public enum ReplacedPart: Sendable {
    /// The text.
    case text
    /// The whole row.
    case row
  }

  /// One message, with everything around its text. It is evaluated again when the message or a neighbour changes.
  struct MessageView<Content: View>: View {
    let model: ConversationScreenModel
    let place: RowPlace
    let content: (MessageRow) -> Content
    let replaced: ReplacedPart
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    @Environment(\.markdownRoles) private var markdownRoles

    var body: some View {
      if let (row, looks) = model.message(at: place), replaced == .row {
        if looks.tap.isEmpty {
          content(row).contextMenu { menu(row, looks) }
        } else {
          tappable(row, looks) { content(row) }
        }
      } else if let (row, looks) = model.message(at: place) {
        VStack(alignment: looks.isOwn ? .trailing : .leading, spacing: 2) {
          if looks.beginsDay {
            Text(row.createdAt, style: .date).font(.caption).foregroundStyle(.secondary).frame(
              maxWidth: .infinity)
          }
          if !row.isMine, looks.beginsGroup {
            Text(verbatim: row.senderName).font(.caption).foregroundStyle(.secondary)
          }
          if looks.tap.isEmpty {
            bubble(row, looks).contextMenu { menu(row, looks) }.padding(
              looks.isOwn ? .leading : .trailing, 40)
            reactions(row, looks)
            line(row, looks)
          } else {
            // Controls in the label of a menu take no taps.
            files(row)
            tappable(row, looks) {
              VStack(alignment: looks.isOwn ? .trailing : .leading, spacing: 2) {
                bubble(row, looks, hasFiles: false).padding(looks.isOwn ? .leading : .trailing, 40)
                line(row, looks)
              }
            }
          }
        }
        .frame(maxWidth: .infinity, alignment: looks.isOwn ? .trailing : .leading)
        .accessibilityElement(children: .contain)
      }
    }

    private func bubble(_ row: MessageRow, _ looks: PresentedMessage, hasFiles: Bool = true) -> some View {
      VStack(alignment: .leading, spacing: 4) {
        if let quote = row.quote {
          Text(verbatim: quote.note ?? quote.excerpt).font(.footnote).foregroundStyle(.secondary).lineLimit(2)
        }
        if let reasoning = row.reasoning {
          ReasoningView(label: model.client.text(.reasoning), text: reasoning, isOpen: looks.showsReasoning)
        }
        if hasFiles { files(row) }
        if row.note != nil {
          Text(verbatim: looks.body).italic().foregroundStyle(.secondary)
        } else if !looks.body.isEmpty {
          content(row).font(looks.isLarge ? .largeTitle : .body).environment(\.takesTaps, hasFiles)
        }
      }
      .padding(10)
      .background(
        looks.isOwn ? Color.accentColor.opacity(0.2) : Color.gray.opacity(0.2),
        in: RoundedRectangle(cornerRadius: 16)
      )
      .accessibilityElement(children: isRead(row) ? .contain : .combine)
      .accessibilityLabel(Text(verbatim: isRead(row) ? row.senderName : looks.spoken))
    }

    /// Whether a screen reader goes through the text, for its headings, tables and buttons.
    private func isRead(_ row: MessageRow) -> Bool {
      Content.self == MessageText.self && PresentedText(row, markdown: markdownRoles).isMarkdown
    }

    @ViewBuilder private func files(_ row: MessageRow) -> some View {
      ForEach(row.attachments) { file in
        AttachmentView(file: PresentedFile(file), client: model.client) {
          model.messageActions.download(file.attachment.checksum)
        }
      }
      ForEach(PresentedReference.all(in: row.content, model.client.configuration.texts), id: \.self) {
        reference in
        ReferenceView(reference: reference, client: model.client)
      }
    }

    @ViewBuilder private func menu(_ row: MessageRow, _ looks: PresentedMessage) -> some View {
      if looks.canReact {
        ForEach(["👍", "❤️", "😂"], id: \.self) { value in
          Button {
            let isMine = row.reactions.contains { $0.value == value && $0.isMine }
            model.messageActions.react(value, isOn: !isMine, to: row.id)
          } label: {
            Text(verbatim: value)
          }
        }
      }
      buttons(looks.menu ?? looks.tap, row.id)
    }

    private func buttons(_ actions: [MessageAction], _ id: MessageID) -> some View {
      ForEach(actions) { action in
        Button(role: action.isDestructive ? .destructive : nil) {
          model.messageActions.choose(action.kind, on: id)
        } label: {
          Text(verbatim: action.title)
        }
      }
    }

    @ViewBuilder private func reactions(_ row: MessageRow, _ looks: PresentedMessage) -> some View {
      if !row.reactions.isEmpty {
        HStack(spacing: 4) {
          ForEach(row.reactions, id: \.value) { reaction in
            Button {
              model.messageActions.react(reaction.value, isOn: !reaction.isMine, to: row.id)
            } label: {
              Text(verbatim: reaction.count > 1 ? "\(reaction.value) \(reaction.count)" : reaction.value)
            }
            .disabled(!looks.canReact)
          }
        }
        .font(.footnote)
      }
    }

    private func line(_ row: MessageRow, _ looks: PresentedMessage) -> some View {
      VStack(alignment: looks.isOwn ? .trailing : .leading, spacing: 2) {
        HStack(spacing: 6) {
          if let text = looks.line.text {
            NoticeLine(text: text, look: looks.line.look)
          } else if looks.endsGroup {
            Text(row.createdAt, style: .time)
          }
          if looks.line.editedAt != nil { Text(verbatim: model.client.text(.edited)) }
          if let receipt = looks.line.receipt {
            Image(systemName: receipt.isRead ? "checkmark.circle.fill" : "checkmark")
              .accessibilityLabel(Text(verbatim: receipt.text))
          }
        }
        // The reason why the whole conversation is refused is shown below its messages.
        if let reason = looks.line.reason ?? (looks.line.look == .failed ? looks.reason : nil) {
          Text(verbatim: reason)
        }
        if let change = looks.line.change {
          NoticeLine(text: change.text, look: change.look)
          if let reason = change.reason { Text(verbatim: reason) }
          HStack { buttons(change.offers, change.id) }
        }
        if !looks.line.buttons.isEmpty { HStack { buttons(looks.line.buttons, row.id) } }
      }
      // "Sending..." fades into the time.
      .animation(reducesMotion ? nil : .default, value: looks.line)
      .font(.footnote)
      .multilineTextAlignment(looks.isOwn ? .trailing : .leading)
      .foregroundStyle(looks.line.look.color)
    }

    /// An unsent message: a tap anywhere on it opens its actions.
    private func tappable<Label: View>(
      _ row: MessageRow, _ looks: PresentedMessage, @ViewBuilder label: () -> Label
    ) -> some View {
      Menu {
        buttons(looks.tap, row.id)
      } label: {
        label().foregroundStyle(.primary)
      }
      .menuIndicator(.hidden)
      .menuStyle(.button)
      .buttonStyle(.plain)
      .accessibilityLabel(Text(verbatim: looks.spoken))
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

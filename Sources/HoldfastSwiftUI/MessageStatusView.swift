#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The line under a message: "Sending…", the time, or why it failed, with its buttons, and with an edit or a deletion
  /// that the server does not have.
  ///
  /// ```swift
  /// MessageStatusView(message)
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct MessageStatusView: View {
    private let message: ShownMessage
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    /// The line of a message. Its buttons are shown where `messageActions(_:writer:)` carries them out.
    public init(_ message: ShownMessage) { self.message = message }

    public var body: some View {
      VStack(alignment: message.side, spacing: 2) {
        HStack(spacing: 6) {
          if let text = line.text {
            NoticeLine(text: text, look: line.look)
          } else if message.endsGroup {
            Text(message.row.createdAt, style: .time)
          }
          if line.editedAt != nil { Text(verbatim: message.client.text(.edited)) }
          if let receipt = line.receipt {
            Image(systemName: receipt.isRead ? "checkmark.circle.fill" : "checkmark")
              .accessibilityLabel(Text(verbatim: receipt.text))
          }
        }
        // The reason why the whole conversation is refused is shown below its messages.
        if let reason = line.reason ?? (line.look == .failed ? message.looks.reason : nil) {
          Text(verbatim: reason)
        }
        if let change = line.change {
          NoticeLine(text: change.text, look: change.look)
          if let reason = change.reason { Text(verbatim: reason) }
          HStack { MessageButtons(change.offers, change.id) }
        }
        if !line.buttons.isEmpty { HStack { MessageButtons(line.buttons, message.id) } }
      }
      // "Sending..." fades into the time.
      .animation(reducesMotion ? nil : .default, value: line)
      .font(.footnote)
      .multilineTextAlignment(message.isOwn ? .trailing : .leading)
      .foregroundStyle(line.look.color)
    }

    private var line: PresentedMessage.Line { message.looks.line }
  }

  /// The reactions to a message, with their numbers. A tap adds the user's own, or removes it.
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct MessageReactions: View {
    private let message: ShownMessage
    @Environment(\.messageActions) private var actions

    /// The reactions to a message.
    public init(_ message: ShownMessage) { self.message = message }

    public var body: some View {
      if !message.row.reactions.isEmpty {
        HStack(spacing: 4) {
          ForEach(message.row.reactions, id: \.value) { reaction in
            Button(reaction.count > 1 ? "\(reaction.value) \(reaction.count)" : reaction.value) {
              actions?.react(reaction.value, isOn: !reaction.isMine, to: message.id)
            }
            .disabled(!message.looks.canReact || actions == nil)
          }
        }
        .font(.footnote)
      }
    }
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI
  import UniformTypeIdentifiers

  /// The text field of a conversation, with its draft, the message that it answers, and the banner of a recovered
  /// draft.
  ///
  /// ```swift
  /// MessageComposer(composer)   // a ComposerModel whose run() runs
  /// ```
  ///
  /// Each keystroke is kept: the draft is stored automatically, and saved when the view disappears. The cursor is kept
  /// with it. Return sends on a hardware keyboard, and Shift-Return is a new line. **Experimental**: type-checked, and
  /// never run on a device.
  public struct MessageComposer: View {
    @Bindable private var composer: ComposerModel
    @State private var actionQueue = ActionQueue()
    @State private var isPicking = false
    @FocusState private var isFocused: Bool
    @Environment(\.keepsCursor) private var keepsCursor
    @Environment(\.returnSends) private var returnSends
    /// The selection that the field has reported. It may come before its text.
    @State private var reported: TextSelection?
    /// Whether the content is sent after the next update, in which the field has no selection.
    @State private var isSending = false
    /// The earlier texts that are offered. Empty: the sheet is closed.
    @State private var earlier: [DraftVersion] = []
    private let send: @MainActor () -> Void

    /// A view of the composer, whose button sends its content.
    public init(_ composer: ComposerModel) { self.init(composer) { composer.send() } }

    /// A view of the composer, whose button does something else with its content, such as asking an assistant.
    public init(_ composer: ComposerModel, send: @escaping @MainActor () -> Void) {
      (self.composer, self.send) = (composer, send)
    }

    public var body: some View {
      VStack(spacing: 4) {
        if let banner = composer.banner { DraftLine(composer: composer, banner: banner) }
        if let edit = composer.unfinishedEdit { unfinished(edit) }
        if composer.editing != nil || composer.replyTo != nil { context }
        ForEach(composer.attachments) { file in
          HStack {
            AttachmentView(file, in: composer.client)
            Spacer()
            Button(label(.delete)) { composer.removeAttachment(file.id) }
          }
          .font(.footnote)
        }
        HStack(spacing: 8) {
          if composer.client.carriesFiles, composer.editing == nil {
            Button {
              isPicking = true
            } label: {
              Image(systemName: "plus.circle")
            }
            .accessibilityLabel(Text(verbatim: label(.attach)))
            // The system names it, and disables it while the clipboard has no picture.
            PasteButton(payloadType: PastedPicture.self) { pictures in
              actionQueue.attach(pictures.map(\.file), to: composer)
            }
            .labelStyle(.iconOnly)
          }
          if composer.canTakeBack {
            Button {
              earlier = composer.versions()
            } label: {
              Image(systemName: "clock.arrow.circlepath")
            }
            .accessibilityLabel(Text(verbatim: label(.earlierTexts)))
          }
          // Return is a new line on an on-screen keyboard, and sends nothing.
          TextField(
            text: $composer.text, selection: keepsCursor ? cursor : .constant(nil), axis: .vertical
          ) {
            Text(verbatim: text(.composerPrompt))
          }
          .lineLimit(1...6)
          .focused($isFocused)
          .onKeyPress(keys: [.return], phases: .down) { press in
            guard returnSends, press.modifiers.isDisjoint(with: [.shift, .option, .control, .command]),
              composer.canSend
            else { return .ignored }
            isSending = true
            return .handled
          }
          .onChange(of: reported) {
            if case .selection(let range) = reported?.indices { composer.cursor = range }
          }
          .onChange(of: isSending) {
            guard isSending else { return }
            send()
            isSending = false
          }
          .onChange(of: isFocused) { if isFocused { composer.focus() } else { composer.blur() } }
          Button {
            isSending = true
          } label: {
            Image(systemName: "arrow.up.circle.fill")
          }
          .disabled(!composer.canSend)
          .accessibilityLabel(Text(verbatim: label(.sendMessage)))
        }
      }
      .padding()
      .attachesDrops(to: composer, by: actionQueue)
      .fileImporter(isPresented: $isPicking, allowedContentTypes: [.item], allowsMultipleSelection: true) {
        result in
        // A failed choice counts as no choice.
        attach((try? result.get()) ?? [])
      }
      .sheet(item: shownEarlier) { _ in earlierTexts }
      .task { await actionQueue.run() }
      .onDisappear {
        composer.blur()
        composer.hardSave()
      }
    }

    /// The cursor, as the field has it and as the draft keeps it.
    private var cursor: Binding<TextSelection?> {
      Binding { @MainActor in
        isSending ? nil : composer.cursor.map { TextSelection(range: $0) }
      } set: { @MainActor selection in
        reported = selection
      }
    }

    private func attach(_ files: [URL]) {
      for file in files {
        actionQueue.add { [composer] in await whilePicked(file) { _ = await composer.attach(file) } }
      }
    }

    /// The message that is edited, or the one that is answered.
    private var context: some View {
      HStack {
        Text(verbatim: label(composer.editing == nil ? .reply : .edit))
        Spacer()
        Button(label(.cancel)) {
          if composer.editing == nil { composer.reply(to: nil) } else { composer.cancelEdit() }
        }
      }
      .font(.footnote)
    }

    /// An edit that was begun at an earlier launch, or in another window.
    private func unfinished(_ message: MessageID) -> some View {
      HStack {
        Text(verbatim: text(.unsent(.unfinishedEdit)))
        Spacer()
        Button(label(.continueReply)) { composer.beginEdit(message) }
        Button(label(.discard)) { composer.cancelEdit() }
      }
      .font(.footnote)
    }

    private var shownEarlier: Binding<DraftVersion?> {
      Binding { @MainActor in
        earlier.first
      } set: { @MainActor _ in
        earlier = []
      }
    }

    private var earlierTexts: some View {
      VStack(spacing: 16) {
        Text(verbatim: label(.earlierTexts)).font(.headline)
        List {
          ForEach(earlier) { version in
            Button {
              composer.restoreVersion(version.id)
              earlier = []
            } label: {
              VStack(alignment: .leading) {
                Text(verbatim: version.text).lineLimit(4)
                Text(version.keptAt, style: .time).font(.caption).foregroundStyle(.secondary)
              }
              .foregroundStyle(.primary)
            }
          }
        }
        Button(label(.done)) { earlier = [] }
      }
      .padding()
    }

    private func text(_ text: ChatConfiguration.ShownText) -> String { composer.client.text(text) }
    private func label(_ button: ChatConfiguration.ShownText.Button) -> String {
      composer.client.label(button)
    }
  }

  private struct KeepsCursorKey: EnvironmentKey {
    static let defaultValue = true
  }

  private struct ReturnSendsKey: EnvironmentKey {
    static let defaultValue = true
  }

  extension EnvironmentValues {
    /// Whether Return on a hardware keyboard sends. Shift-Return is a new line in either case.
    public var returnSends: Bool {
      get { self[ReturnSendsKey.self] }
      set { self[ReturnSendsKey.self] = newValue }
    }

    /// Whether composers keep the cursor with the draft, and restore it. Set it to false if text fields with a
    /// selection fail on a system that your app supports: `.environment(\.keepsCursor, false)`.
    public var keepsCursor: Bool {
      get { self[KeepsCursorKey.self] }
      set { self[KeepsCursorKey.self] = newValue }
    }
  }

  /// The banner of a draft, with its buttons (rule D11).
  private struct DraftLine: View {
    let composer: ComposerModel
    let banner: DraftBanner

    var body: some View {
      HStack {
        Text(verbatim: banner.text)
        Spacer()
        switch banner.kind {
        case .recovered: button(.discard) { composer.discard() }
        case .old:
          button(.keep) { composer.keepDraft() }
          button(.discard) { composer.discard() }
        case .discarded: button(.undo) { composer.undoDiscard() }
        }
      }
      .font(.footnote)
      .foregroundStyle(.secondary)
    }

    private func button(
      _ name: ChatConfiguration.ShownText.Button, _ act: @escaping @MainActor () -> Void
    ) -> some View {
      Button(composer.client.label(name), action: act)
    }
  }
#endif

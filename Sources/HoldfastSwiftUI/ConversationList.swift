#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The list of conversations: titles, excerpts, what was not read and not sent, and Undo for what was deleted.
  ///
  /// ```swift
  /// ConversationList(client, selection: $conversation)
  /// ```
  ///
  /// **Experimental**: type-checked and driven on Linux, not yet run on a device.
  public struct ConversationList: View {
    @State private var list: ConversationListModel
    @State private var errands = Errands()
    @Binding private var selection: ConversationID?
    private let client: ChatClient

    /// - Parameter selection: the conversation that is open.
    public init(_ client: ChatClient, selection: Binding<ConversationID?>) {
      self.client = client
      _selection = selection
      _list = State(initialValue: ConversationListModel(client))
    }

    public var body: some View {
      let content = content
      VStack(spacing: 0) {
        ContentNotice(content: content, reload: client.label(.reload)) { list.reload() }
        if !content.isLoading, !content.isAlone { rows }
        ForEach(list.isLoading ? [] : list.undoable) { offer in undo(offer) }
        if let problem = errands.problem { NoticeLine(text: problem.message, look: .failed) }
      }
      .navigationTitle(Text(verbatim: client.text(.conversations)))
      .task { await list.run() }
      .task { await errands.run() }
    }

    private var content: PresentedContent {
      let isLoading = list.isLoading
      return PresentedContent(
        isLoading: isLoading, problem: isLoading ? nil : list.problem?.message,
        note: isLoading ? nil : list.note,
        hasRows: isLoading ? false : !list.rows.isEmpty, title: .conversationsUnreadable,
        client.configuration.texts)
    }

    private var rows: some View {
      List(selection: $selection) {
        ForEach(list.rows) { row in
          ConversationLine(row: row, looks: PresentedConversation(row, client.configuration.texts))
            .tag(row.id)
            .contextMenu {
              Button(role: .destructive) {
                delete(row.id)
              } label: {
                Text(verbatim: client.label(.delete))
              }
            }
        }
        if list.hasMore {
          Button {
            list.loadMore()
          } label: {
            Text(verbatim: client.label(.earlierMessages))
          }
        }
      }
    }

    private func undo(_ offer: ConversationListSnapshot.Undoable) -> some View {
      HStack {
        Text(verbatim: offer.text)
        Spacer()
        Button {
          bringBack(offer)
        } label: {
          Text(verbatim: client.label(.undo))
        }
      }
      .padding()
    }

    private func delete(_ id: ConversationID) {
      errands.add { [client] in try await client.conversation(id).delete() }
    }

    private func bringBack(_ offer: ConversationListSnapshot.Undoable) {
      let conversation = client.conversation(offer.id)
      errands.add {
        if offer.isEmptied {
          try await conversation.undoEmptying()
        } else {
          try await conversation.undoDeletion()
        }
      }
    }
  }

  private struct ConversationLine: View {
    let row: ConversationListSnapshot.Row
    let looks: PresentedConversation

    var body: some View {
      HStack {
        VStack(alignment: .leading) {
          Text(verbatim: row.title).font(.headline).lineLimit(1)
          HStack(spacing: 4) {
            if let mark = looks.mark {
              Text(verbatim: mark).foregroundStyle(looks.isDraft ? Color.red : Color.secondary)
            }
            Text(verbatim: looks.excerpt).foregroundStyle(looks.isRefused ? Color.red : Color.secondary)
              .lineLimit(1)
          }
          .font(.subheadline)
        }
        Spacer()
        VStack(alignment: .trailing) {
          Text(row.updatedAt, style: .time).font(.caption).foregroundStyle(.secondary)
          HStack(spacing: 4) {
            if let unread = looks.unread { BadgeView(badge: unread, color: .accentColor) }
            if let unsent = looks.unsent { BadgeView(badge: unsent, color: unsent.isRefused ? .red : .gray) }
          }
        }
      }
      .accessibilityElement(children: .combine)
    }
  }

  private struct BadgeView: View {
    let badge: PresentedConversation.Badge
    let color: Color

    var body: some View {
      Text(verbatim: badge.text)
        .font(.caption)
        .padding(.horizontal, 6)
        .background(color, in: Capsule())
        .foregroundStyle(.white)
        .accessibilityLabel(Text(verbatim: badge.spoken))
    }
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The list of conversations: titles, excerpts, the counts of unread and unsent messages, search, rename, Clear,
  /// Delete and Undo.
  ///
  /// ```swift
  /// ConversationList(client, selection: $conversation)
  /// ConversationList(client, selection: $conversation) { row in Text(row.title).bold() }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ConversationList<Row: View>: View {
    @State private var list: ConversationListModel
    @State private var actions: ConversationListActions
    @State private var search: SearchModel
    @Binding private var selection: ConversationID?
    private let client: ChatClient
    private let deletesAll: Bool
    private let open: @MainActor (SearchSnapshot.Hit) -> Void
    private let row: (ConversationListSnapshot.Row) -> Row

    /// - Parameters:
    ///   - client: the client whose conversations are listed.
    ///   - selection: the conversation that is open.
    ///   - deletesAll: whether a button under the rows deletes all conversations, after a question.
    ///   - open: called when a search hit is chosen, before its conversation becomes the selection.
    ///   - row: a conversation of the list. Its actions stay: swipe to delete, and the menu of a long press.
    public init(
      _ client: ChatClient, selection: Binding<ConversationID?>, deletesAll: Bool = false,
      open: @escaping @MainActor (SearchSnapshot.Hit) -> Void = { _ in },
      @ViewBuilder row: @escaping (ConversationListSnapshot.Row) -> Row
    ) {
      (self.client, self.deletesAll, self.open, self.row) = (client, deletesAll, open, row)
      _selection = selection
      _search = State(initialValue: SearchModel(client))
      _list = State(initialValue: ConversationListModel(client))
      _actions = State(initialValue: ConversationListActions(client))
    }

    public var body: some View {
      let content = PresentedContent(list, client.configuration.texts)
      VStack(spacing: 0) {
        if search.query.isEmpty {
          ContentNotice(content: content, client: client) { list.reload() }
          if !content.isLoading, !content.isAlone { rows } else { Spacer() }
        } else {
          SearchResultList(search) { hit in
            open(hit)
            selection = hit.conversation
          }
        }
        ForEach(list.isLoading ? [] : list.undoable) { deletion in undo(deletion) }
        if let problem = actions.problem {
          NoticeLine(text: problem.message, look: .failed).padding(.horizontal)
        }
      }
      .navigationTitle(Text(verbatim: client.text(.conversations)))
      .task { await list.run() }
      .task { await actions.run() }
      .task { await search.run() }
      .searchable(text: $search.query, prompt: Text(verbatim: client.text(.searchPrompt)))
    }

    private var rows: some View {
      List(selection: $selection) {
        ForEach(list.rows) { conversation in
          row(conversation)
            .tag(conversation.id)
            .swipeActions { button(.delete) { delete(conversation.id) } }
            .contextMenu {
              Button(client.label(.rename)) { actions.askRename(conversation) }
              button(.empty) { actions.askEmpty(conversation.id) }
              button(.delete) { delete(conversation.id) }
            }
        }
        if list.hasMore { Button(client.label(.earlierMessages)) { list.loadMore() } }
        if deletesAll, !list.rows.isEmpty { button(.deleteAll) { actions.askDeleteAll() } }
      }
      .alert(
        Text(verbatim: actions.question?.title ?? ""), isPresented: isAsked, presenting: actions.question
      ) {
        _ in
        button(actions.confirmation) { actions.confirm() }
        Button(client.label(.cancel), role: .cancel) {}
      } message: { question in
        Text(verbatim: question.sentence)
      }
      .alert(Text(verbatim: client.label(.rename)), isPresented: isRenamed, presenting: actions.renamed) {
        _ in
        TextField(text: $actions.newTitle, axis: .horizontal) { Text(verbatim: client.label(.rename)) }
        Button(client.label(.done)) { actions.rename() }
        Button(client.label(.cancel), role: .cancel) {}
      } message: { row in
        Text(verbatim: row.title)
      }
    }

    private func delete(_ conversation: ConversationID) {
      // No notice is shown for a conversation that the user has deleted here.
      if selection == conversation { selection = nil }
      actions.delete(conversation)
    }

    private var isRenamed: Binding<Bool> {
      Binding { @MainActor in
        actions.renamed != nil
      } set: { @MainActor isRenamed in
        if !isRenamed { actions.cancelRename() }
      }
    }

    private var isAsked: Binding<Bool> {
      Binding { @MainActor in
        actions.question != nil
      } set: { @MainActor isAsked in
        if !isAsked { actions.question = nil }
      }
    }

    private func button(
      _ label: ChatConfiguration.ShownText.Button, _ act: @escaping @MainActor () -> Void
    ) -> some View {
      Button(client.label(label), role: .destructive, action: act)
    }

    private func undo(_ deletion: ConversationListSnapshot.Undoable) -> some View {
      HStack {
        Text(verbatim: deletion.text)
        Spacer()
        Button(client.label(.undo)) { actions.undo(deletion) }
      }
      .padding()
    }
  }

  extension ConversationList where Row == ConversationRowView {
    /// A list with the rows of this module.
    public init(
      _ client: ChatClient, selection: Binding<ConversationID?>, deletesAll: Bool = false,
      open: @escaping @MainActor (SearchSnapshot.Hit) -> Void = { _ in }
    ) {
      self.init(client, selection: selection, deletesAll: deletesAll, open: open) { row in
        ConversationRowView(row, in: client)
      }
    }
  }

  /// A conversation in a list: its title, an excerpt, the time, and the counts of unread and unsent messages.
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ConversationRowView: View {
    private let row: ConversationListSnapshot.Row
    private let looks: PresentedConversation

    /// A row of a list.
    public init(_ row: ConversationListSnapshot.Row, in client: ChatClient) {
      self.row = row
      looks = PresentedConversation(row, now: client.environment.now(), client.configuration.texts)
    }

    public var body: some View {
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
          Text(row.updatedAt, style: looks.showsDate ? .date : .time).font(.caption).foregroundStyle(
            .secondary)
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

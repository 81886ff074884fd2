import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// Adds a quote to each row that answers a message. If the answered message's own row is loaded, the quote shows the
  /// same as that row.
  ///
  /// - Parameters:
  ///   - kept: the rows that are as they were. Their quotes are kept too where the answered message is.
  ///   - changed: the messages that have changed since.
  package func quote(
    in rows: [MessageRow], answering answered: [MessageID: MessageID], others: [MessageID: QuotedMessage],
    keeping kept: Set<MessageID> = [], besides changed: Set<MessageID> = []
  ) -> [MessageRow] {
    guard !answered.isEmpty else { return rows }
    let shown = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    return rows.map { row in
      guard let id = answered[row.id], !row.isDeleted else { return row }
      var row = row
      let isKept = shown[id] == nil ? !changed.contains(id) : kept.contains(id)
      if isKept, kept.contains(row.id), row.quote?.id == id {
        let sender = row.quote?.sender
        row.quote?.senderName = sender.map(names.name)
        return row
      }
      let quoted =
        shown[id].map { QuotedMessage(sender: $0.sender, text: $0.quotableText, isDeleted: $0.isDeleted) }
        ?? others[id]
      row.quote = MessageRow.Quote(
        id: id, sender: quoted?.sender, senderName: quoted.map { names.name(of: $0.sender) },
        isMine: quoted?.sender == user,
        excerpt: String(excerpt(quoted?.text ?? "").prefix(200)), isDeleted: quoted?.isDeleted ?? false)
      return row
    }
  }
}

extension MessageRow {
  /// The text for a quote. A message may consist of files alone; the name of the first file is quoted then.
  fileprivate var quotableText: String {
    content.text.isEmpty ? attachments.first?.attachment.name ?? "" : content.text
  }
}

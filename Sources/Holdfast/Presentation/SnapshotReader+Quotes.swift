import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// Adds a quote to each row that answers a message. If the answered message's own row is loaded, the quote shows the
  /// same as that row.
  package func quote(
    in rows: [MessageRow], answering answered: [MessageID: MessageID], others: [MessageID: QuotedMessage]
  ) -> [MessageRow] {
    guard !answered.isEmpty else { return rows }
    let shown = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    return rows.map { row in
      guard let id = answered[row.id], !row.isDeleted else { return row }
      var row = row
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

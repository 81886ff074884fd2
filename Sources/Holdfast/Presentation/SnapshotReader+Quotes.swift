import HoldfastCore
import HoldfastStore

extension SnapshotReader {
  /// Adds a quote to each row that answers a message. If the answered message's own row is loaded, the quote shows the
  /// same as that row.
  ///
  /// - Parameters:
  ///   - kept: the unchanged rows. Their quotes are kept too where the answered message is.
  ///   - changed: the messages that have changed since.
  func quote(
    in rows: inout [MessageRow], answering answered: [MessageID: MessageID],
    others: [MessageID: QuotedMessage], keeping kept: Set<MessageID>,
    besides changed: Set<MessageID>
  ) {
    guard !answered.isEmpty else { return }
    // Only these, because copying a row costs as much as processing it.
    let sought = Set(answered.values)
    var shown: [MessageID: Int] = [:]
    for index in rows.indices where sought.contains(rows[index].id) { shown[rows[index].id] = index }
    for index in rows.indices {
      guard let id = answered[rows[index].id], !rows[index].isDeleted else { continue }
      let isKept = shown[id] == nil ? !changed.contains(id) : kept.contains(id)
      if isKept, kept.contains(rows[index].id), rows[index].quote?.id == id {
        let sender = rows[index].quote?.sender
        rows[index].quote?.senderName = sender.map(names.name)
        continue
      }
      let quoted =
        shown[id].map {
          QuotedMessage(
            sender: rows[$0].sender, text: rows[$0].quotableText, isDeleted: rows[$0].isDeleted)
        } ?? others[id]
      rows[index].quote = MessageRow.Quote(
        id: id, sender: quoted?.sender, senderName: quoted.map { names.name(of: $0.sender) },
        isMine: quoted?.sender == user,
        excerpt: String(excerpt(quoted?.text ?? "").prefix(200)), isDeleted: quoted?.isDeleted ?? false)
    }
  }
}

extension MessageRow {
  /// The text for a quote. A message may consist of files alone; the name of the first file is quoted then.
  fileprivate var quotableText: String {
    content.text.isEmpty ? attachments.first?.attachment.name ?? "" : content.text
  }
}

import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Values from the server under their conversation's present ID. A transaction looks up the ID within itself, because
/// another process may rename a conversation at any time.
extension ConversationAliases {
  func underCurrentID(_ item: IncomingItem) -> IncomingItem {
    guard !isEmpty else { return item }
    switch item {
    case .conversation(var conversation):
      conversation.id = current(conversation.id)
      return .conversation(conversation)
    case .message(var message):
      message.conversation = current(message.conversation)
      return .message(message)
    case .readMark(var mark):
      mark.conversation = current(mark.conversation)
      return .readMark(mark)
    }
  }

  func underCurrentID(_ receipt: Receipt) -> Receipt {
    var receipt = receipt
    receipt.conversation = current(receipt.conversation)
    return receipt
  }

  func underCurrentID(_ piece: StreamPiece) -> StreamPiece {
    var piece = piece
    piece.conversation = current(piece.conversation)
    return piece
  }
}

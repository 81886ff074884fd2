import Holdfast
import HoldfastRelay
import HoldfastTesting
import HoldfastTransport

extension TransportConformance.Record {
  /// A message of the reference server.
  package init(_ item: Wire.MessageItem) {
    self.init(
      id: MessageID(rawValue: item.id), sender: UserID(rawValue: item.sender), text: item.text,
      isDeleted: item.deletedAt != nil,
      reactions: (item.reactions ?? []).flatMap { reaction in
        reaction.senders.map { IncomingMessage.Reaction(reaction.value, from: UserID(rawValue: $0)) }
      },
      attachments: (item.attachments ?? []).map { ChatAttachment.Checksum(rawValue: $0.checksum) })
  }
}

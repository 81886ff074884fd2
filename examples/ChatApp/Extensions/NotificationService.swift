// The notification extension of ChatApp: what a push brings is in the history before its notification is shown. Compile
// ShareViewController.swift's SharedStore into this target too.
#if canImport(UserNotifications) && canImport(UIKit)
  import Foundation
  import Holdfast
  import HoldfastTransport
  import UserNotifications

  final class NotificationService: UNNotificationServiceExtension {
    private var delivery: Task<Void, Never>?

    override func didReceive(
      _ request: UNNotificationRequest,
      withContentHandler contentHandler: @escaping @Sendable (UNNotificationContent) -> Void
    ) {
      let content = request.content
      guard let message = Self.message(content.userInfo) else { return contentHandler(content) }
      delivery = Task {
        // A message that cannot be stored now comes over the connection.
        _ = try? await SharedStore.open().receive(message)
        contentHandler(content)
      }
    }

    /// The message of a push, with the fields that your server sends.
    private static func message(_ push: [AnyHashable: Any]) -> IncomingMessage? {
      guard let id = push["id"] as? String, let conversation = push["conversation"] as? String,
        let sender = push["sender"] as? String, let text = push["text"] as? String
      else { return nil }
      return IncomingMessage(
        id: MessageID(rawValue: id), conversation: ConversationID(rawValue: conversation),
        sender: UserID(rawValue: sender), content: MessageContent(text), order: nil, createdAt: Date())
    }
  }
#endif

// The share extension of ChatApp: what is shared is on disk when the sheet closes, and the app sends it.
#if canImport(UIKit)
  import Foundation
  import Holdfast
  import HoldfastWebSocket
  import UIKit

  final class ShareViewController: UIViewController {
    override func viewDidAppear(_ animated: Bool) {
      super.viewDidAppear(animated)
      do {
        let client = try SharedStore.open()
        for item in extensionContext?.inputItems ?? [] {
          guard let text = (item as? NSExtensionItem)?.attributedContentText?.string else { continue }
          // The conversation that was open last. Ask for one where your app has several.
          if let conversation = try client.activeConversation() { try client.send(text, in: conversation) }
        }
        extensionContext?.completeRequest(returningItems: nil, completionHandler: nil)
      } catch { extensionContext?.cancelRequest(withError: error) }
    }
  }

  /// The store that the app and its extensions share. Both targets have the app group, and the app opens the same folder.
  enum SharedStore {
    static let group = "group.org.example.chat"

    /// The client never connects: the app has the connection.
    static func open() throws -> ChatClient {
      guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
      else { throw ChatError(.storageUnavailable, "This target has no app group \(group).") }
      return try ChatClient(
        storage: .folder(container.appendingPathComponent("alice")).shared(),
        transport: WebSocketTransport(url: URL(fileURLWithPath: "/")) { "" }, user: "alice")
    }
  }
#endif

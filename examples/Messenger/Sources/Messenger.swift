import Foundation
import Holdfast
import HoldfastWebSocket

/// A messenger in a terminal: `Messenger STORE RELAY USER OTHER CHAT`. Each typed line is a message. CHAT is the ID of the
/// conversation of both, which nobody else can guess.
@main struct Messenger {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6 else {
      return print("Messenger STORE RELAY USER OTHER CHAT")
    }
    let (me, other) = (UserID(rawValue: arguments[3]), UserID(rawValue: arguments[4]))
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    let session = ChatSession(
      storage: .folder(URL(filePath: arguments[1])),
      transport: try WebSocketTransport(arguments[2]) { token }, user: me)
    try await session.withClient { client in
      let chat = try client.createConversation(
        ConversationID(rawValue: arguments[5]), members: [me, other])
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var shown: [MessageID: String] = [:]
          for await timeline in chat.timeline() {
            for row in timeline.rows {
              let line = "\(row.sender): \(row.text) \(row.status.text ?? "")"
              guard shown.updateValue(line, forKey: row.id) != line else { continue }
              FileHandle.standardOutput.write(Data("\(line)\n".utf8))
            }
          }
        }
        group.addTask { while let line = readLine() { try chat.send(line) } }
        try await group.next()
        group.cancelAll()
      }
    }
  }
}

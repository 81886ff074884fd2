import Foundation
import Holdfast
import HoldfastTransport

#if !canImport(Darwin)
  import FoundationNetworking
#endif

/// Drafts and outbox in front of a server of one's own. Each line is a message, and is sent with `PUT` to the given address
/// with its ID behind it, until the server has it. Kill the program whenever you like, and start it again.
let (folder, server) = (URL(filePath: CommandLine.arguments[1]), URL(string: CommandLine.arguments[2])!)
let transport = RequestTransport(TransportCapabilities(idempotency: .forever)) { message in
  var request = URLRequest(url: server.appending(path: message.id.rawValue))
  (request.httpMethod, request.httpBody) = ("PUT", Data(message.text.utf8))
  let (_, response) = try await URLSession.shared.data(for: request)
  return try .status((response as? HTTPURLResponse)?.statusCode)
}
let client = try ChatClient(storage: .folder(folder), transport: transport, user: "me")
let chat = try client.createConversation("notes")
async let running: Void = client.run()

while let line = readLine() { try chat.send(line) }
for await health in client.outbox.healthChanges() where health.waiting == 0 { break }
for row in try chat.messages(last: 10) { print(row.text, row.status.state) }

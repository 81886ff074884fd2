import Foundation
import Holdfast
import HoldfastAssistant

let (folder, server) = (URL(filePath: CommandLine.arguments[1]), URL(string: CommandLine.arguments[2])!)
let key = ProcessInfo.processInfo.environment["MODEL_KEY"]
let model = CompletionModel(
  server, model: CommandLine.arguments[3], key: key.map { key in { @Sendable in key } })
let client = try ChatClient(storage: .folder(folder), transport: DeviceTransport(), user: "me")
let assistant = Assistant(client, "assistant", model: model)
let chat = try client.createConversation("chat", members: [client.user, assistant.member])
async let engine: Void = client.run()
async let answers: Void = assistant.run()

for row in try chat.messages(last: 20) { print(row.senderName, row.text, row.status.text ?? "") }
while let line = readLine() {
  do {
    if line == "retry", let last = try chat.messages(last: 1).last {
      try await assistant.retry(last.id)
    } else {
      try await assistant.ask(line, in: chat.id)
    }
  } catch {
    print(error.message)
    continue
  }
  var shown = 0
  for await row in chat.timeline(limit: 1).compactMap({ $0.rows.last }) {
    FileHandle.standardOutput.write(Data(row.text.utf8.dropFirst(shown)))
    shown = row.text.utf8.count
    guard row.status.state == .streaming else { break }
  }
  print("")
}

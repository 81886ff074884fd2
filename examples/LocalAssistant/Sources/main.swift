import Foundation
import Holdfast

let client = try ChatClient(
  storage: .folder(URL(filePath: CommandLine.arguments[1])), transport: DeviceTransport(), user: "me")
let chat = try client.createConversation("assistant")
async let engine: Void = client.run()

for await timeline in chat.timeline() {
  for row in timeline.rows { print(row.sender, row.text, row.status.text ?? "") }
  break  // The history is enough: this program shows no changes.
}
while let question = readLine() {
  try await chat.answer(to: question, as: .assistant("echo", of: "me")) { reply in
    for word in question.split(separator: " ") {
      try await Task.sleep(for: .milliseconds(300))  // at the pace of a model
      try await reply.append("\(word) ")
      FileHandle.standardOutput.write(Data("\(word)\n".utf8))
    }
  }
}

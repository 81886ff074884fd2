import Foundation
import Holdfast

/// A composer in a terminal, in an app that sends by itself. Each line goes on with the draft, `/send` sends it,
/// and `/discard` and `/undo` do what they say. Kill it whenever you like, and start it again.
let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "drafts")
let drafts = try DraftController(storage: .folder(folder), user: "me")
let chat: ConversationID = "notes"
var text = ""

@MainActor func show(_ restored: String) {
  text = restored
  let banner = drafts.banner(in: chat).map { "(\($0.text))\n" } ?? ""
  FileHandle.standardOutput.write(Data((banner + (text.isEmpty ? "(empty)" : text) + "\n").utf8))
}

async let saving: Void = drafts.run()
show(try drafts.restore(in: chat)?.text ?? "")

let lines = AsyncStream { continuation in
  Thread.detachNewThread {
    while let line = readLine() { continuation.yield(line) }
    continuation.finish()
  }
}
for await line in lines {
  switch line {
  case "/send":
    // Here an app talks to its server. The draft is deleted once the server has the message.
    try drafts.sendSucceeded(MessageID(rawValue: UUID().uuidString), text: text, in: chat)
    show("")
  case "/discard":
    try drafts.discard(in: chat)
    show("")
  case "/undo": show(try drafts.undoDiscard(in: chat)?.text ?? text)
  default:
    text += text.isEmpty ? line : "\n" + line
    drafts.edit(text, in: chat)
  }
}
try drafts.hardSave()

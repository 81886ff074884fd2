import Foundation
import Holdfast

/// A composer in a terminal, in an app that sends by itself. Each line goes on with the draft, `/send` sends it,
/// and `/discard` and `/undo` do what they say. Kill it whenever you like, and start it again.
let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "drafts")
let drafts = try DraftController(storage: .folder(folder), user: "me")
let composer = drafts.composer(in: "notes")
async let saving: Void = drafts.run()

@MainActor func show() throws {
  let text = try composer.content().text
  let banner = composer.banner.map { "(\($0.text))\n" } ?? ""
  FileHandle.standardOutput.write(Data("\(banner)\(text.isEmpty ? "(empty)" : text)\n".utf8))
}

try show()
while let line = readLine() {
  switch line {
  // Here an app talks to its server. The draft is deleted once the server has the message.
  case "/send": try composer.sendSucceeded(MessageID(rawValue: UUID().uuidString))
  case "/discard": try composer.discard()
  case "/undo": _ = try composer.undoDiscard()
  default:
    let text = try composer.content().text
    composer.edit(text.isEmpty ? line : text + "\n" + line)
    continue
  }
  try show()
}
try drafts.hardSave()

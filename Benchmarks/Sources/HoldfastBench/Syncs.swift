import Foundation
import Holdfast

/// Does one kind of intent and nothing else, so that the system calls of a run can be counted.
@MainActor struct Syncs {
  let intent: Arguments.Intent
  let count: Int

  func run(in folder: URL) throws {
    let client = try ChatClient(
      storage: .folder(folder), transport: NoBackend(), user: "alice", path: NetworkPath(isUp: false))
    try client.createConversation("c", members: ["alice", "bob"])
    let composer = ComposerModel(client, "c")
    for index in 0..<count {
      switch intent {
      case .send: try client.send("message \(index)", in: "c")
      case .draft:
        composer.edit("draft \(index)")
        composer.hardSave()
      }
    }
  }
}

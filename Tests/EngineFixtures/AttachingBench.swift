import Foundation
import Holdfast
import HoldfastCore

extension Bench {
  /// The names in the store's folder of attachments.
  package var attachmentFiles: [String] {
    let folder = scratch.url.appendingPathComponent("attachments")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// A file that the user picks.
  package func file(_ bytes: Data, named name: String = "picked.png") throws -> URL {
    let url = scratch.url.appendingPathComponent(name)
    try bytes.write(to: url)
    return url
  }
}

extension ChatClient {
  @discardableResult
  package nonisolated func attach(text: String, name: String = "a.txt") throws(ChatError) -> ChatAttachment {
    try conversation(EngineExample.conversation).attach(Data(text.utf8), name: name)
  }
}

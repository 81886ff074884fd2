import Foundation

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

extension Bench {
  /// The names in the store's folder of attachments.
  var attachmentFiles: [String] {
    let folder = scratch.url.appendingPathComponent("attachments")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// A file that the user picks.
  func file(_ bytes: Data, named name: String = "picked.png") throws -> URL {
    let url = scratch.url.appendingPathComponent(name)
    try bytes.write(to: url)
    return url
  }
}

extension ChatClient {
  @discardableResult
  nonisolated func attach(text: String, name: String = "a.txt") throws(ChatError) -> ChatAttachment {
    try conversation(EngineExample.conversation).attach(Data(text.utf8), name: name)
  }
}

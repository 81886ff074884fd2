import Foundation
import Holdfast
import HoldfastCore

/// A conversation that is deleted, and its contents.
package enum Trip {
  package static let id: ConversationID = "trip"

  package static func make(_ client: ChatClient) throws {
    try client.createConversation(id, members: [EngineExample.user, EngineExample.other])
  }

  package static func bodies(_ client: ChatClient) throws -> [String] {
    try client.reader.conversation(id, limit: 100).rows.map(\.text)
  }
}

extension Bench {
  /// The files of the store that contain this text.
  package func files(having text: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: scratch.url.path).filter { name in
      (try? scratch.bytes(of: name))?.range(of: Data(text.utf8)) != nil
    }
  }
}

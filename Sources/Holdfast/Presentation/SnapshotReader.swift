import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Logging

/// Reads the shown values: rows from the store, with facts that only this process knows, such as the tokens that are
/// not on disk yet. Any thread may read: `try client.reader.conversation("chat-9f3b27c1", limit: 50).rows`.
package struct SnapshotReader: Sendable {
  package let client: ChatClient

  var context: EngineContext { client.context }
  var store: Store { context.store }
  var sharedStates: EngineSharedStates { client.sharedStates }
  var configuration: ChatConfiguration { context.configuration }
  var transport: any Transport { context.transport }
  var logger: Logger { context.logger }
  var user: UserID { context.user }
  var names: ShownNames { client.names }
  var drafts: Drafts { client.drafts }
  var scenes: Scenes { client.scenes }
}

extension ChatClient {
  package nonisolated var reader: SnapshotReader { SnapshotReader(client: self) }
}

import Foundation
import HoldfastCore

/// Looks for messages in a store.
package enum StoreSearch {
  /// Like ``ChatClient/search(_:in:limit:)``, without a client, in a store that other processes may be using.
  package static func search(
    _ store: URL, for query: String, in conversation: ConversationID? = nil, limit: Int
  ) throws(ChatError) -> SearchSnapshot {
    try Store.typed {
      try StoreReading.read(store) { reading in
        let search = MessageSearch(query, in: try conversation.map(reading.key), limit: limit)
        return search.snapshot(
          of: try search.read(reading), for: ShownNames(for: try reading.settings.owner() ?? ""))
      }
    }
  }
}

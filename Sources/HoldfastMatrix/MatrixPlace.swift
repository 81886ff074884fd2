import Foundation
import HoldfastTransport

/// The place in the server's events, as a ``SyncCursor`` keeps it.
struct MatrixPlace: Codable, Hashable, Sendable {
  /// The server's place: `next_batch`.
  var since: String
  /// The server's name of the device that came here. It knows the messages that this device has sent, and not those of
  /// another.
  var device: String
  /// How far gaps behind `since` were filled, by room: the place of the next page.
  var filled: [String: String] = [:]
  /// The newest edits that this device has received. Nil in a place of an earlier version.
  ///
  /// Of an edit that is taken back, the server no longer says which message it has changed.
  var edits: [Edit]?

  /// An edit of a message.
  struct Edit: Codable, Hashable, Sendable {
    var id: String
    var message: String
    /// In milliseconds since 1970, by the server's clock.
    var time: Int64
    /// Nil in a place of an earlier version.
    var sender: String?

    /// There are many of them in a place.
    private enum CodingKeys: String, CodingKey {
      case id = "e"
      case message = "m"
      case time = "t"
      case sender = "s"
    }
  }

  init(since: String, device: String, filled: [String: String] = [:], edits: [Edit]? = nil) {
    (self.since, self.device, self.filled, self.edits) = (since, device, filled, edits)
  }

  /// Nil for a device that has nothing, or whose cursor another transport has made.
  init?(_ cursor: SyncCursor?) {
    guard let place = cursor?.place(as: Self.self) else { return nil }
    self = place
  }

  var cursor: SyncCursor? { SyncCursor(encoding: self) }
}

import Foundation
import HoldfastTransport

/// The place in the server's events, as a ``SyncCursor`` keeps it.
struct MatrixPlace: Codable, Hashable, Sendable {
  /// The server's place: `next_batch`.
  var since: String
  /// The server's name of the device that came here. It knows the messages that this device has sent, and not those of another.
  var device: String
  /// How far gaps behind `since` were filled, by room: the place of the next page.
  var filled: [String: String] = [:]

  init(since: String, device: String, filled: [String: String] = [:]) {
    (self.since, self.device, self.filled) = (since, device, filled)
  }

  /// Nil for a device that has nothing, or whose cursor another transport has made.
  init?(_ cursor: SyncCursor?) {
    guard let cursor, let place = try? JSONDecoder().decode(Self.self, from: Data(cursor.rawValue.utf8))
    else {
      return nil
    }
    self = place
  }

  var cursor: SyncCursor? {
    guard let data = try? JSONEncoder().encode(self) else { return nil }
    return SyncCursor(rawValue: String(decoding: data, as: UTF8.self))
  }
}

import Foundation
import HoldfastCore

/// One connection, from its upgrade to its end.
///
/// ```
///             hello               page with more: false
/// connected ─────────► catchingUp ──────────────────────► live ──┐
///                        │    ▲          sync, and more to come  │
///                        └────┘◄─────────────────────────────────┘
/// ```
struct Session: Sendable {
  enum Phase: Sendable, Hashable {
    /// Nothing was said yet.
    case connected
    /// Reads the log page by page; nothing live is sent meanwhile.
    case catchingUp
    /// Has seen the log to its end; what is new is pushed.
    case live
  }

  let id: ConnectionID
  let account: UserID
  let send: @Sendable (ServerOutput) -> Void
  var phase = Phase.connected
  /// The device that its hello named. Nil before that, and where it named none.
  var device: String?
  /// Where the last page ended. Nil before the first page of a device without a cursor.
  var cursor: Int64?
}

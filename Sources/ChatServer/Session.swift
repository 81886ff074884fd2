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
    /// No hello has come yet.
    case connected
    /// The client reads the log page by page. Nothing live is sent meanwhile.
    case catchingUp
    /// The client has seen the log to its end. New events are pushed.
    case live
  }

  let id: ConnectionID
  let account: UserID
  let send: @Sendable (ServerOutput) -> Void
  var phase = Phase.connected
  /// The device that the connection's hello named. Nil before the hello, and when it named none.
  var device: String?
  /// The log position at which the last page ended. Nil before the first page.
  var cursor: Int64?
}

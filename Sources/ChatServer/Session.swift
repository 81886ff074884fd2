import Foundation
import HoldfastCore
import HoldfastRelay

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
    /// The client reads the log page by page. No live events are sent meanwhile.
    case catchingUp
    /// The client has seen the log to its end. New events are pushed.
    case live
  }

  let id: ConnectionID
  let account: UserID
  let send: @Sendable (ServerOutput) -> Void
  var phase = Phase.connected
  /// The device named by the connection's hello. Nil before the hello, and when it named none.
  var device: String?
  /// The log position at which the last page ended. Nil before the first page.
  var cursor: Int64?
  private var refusals: [Wire.Refused] = []

  /// The number of refusals that are kept. It is far above the messages that a client has in flight at once.
  private static let keptRefusals = 1_000

  init(id: ConnectionID, account: UserID, send: @escaping @Sendable (ServerOutput) -> Void) {
    self.id = id
    self.account = account
    self.send = send
  }

  /// Keeps a refusal for later copies of the same transmission.
  ///
  /// A network may deliver a frame twice. The sender acts on the first response, and its user may then take the
  /// message back. The second copy therefore gets the same response, even if the server could accept it by now.
  mutating func keep(_ refusal: Wire.Refused) {
    guard MessageID.isWellFormed(refusal.id) else { return }
    if refusals.count == Self.keptRefusals { refusals.removeFirst() }
    refusals.append(refusal)
  }

  /// The refusal of an earlier copy of this transmission. Nil when no copy was refused on this connection.
  func refusal(of message: Wire.Outgoing) -> Wire.Refused? {
    refusals.first { $0.handover == message.handover && $0.id == message.id }
  }
}

import Foundation
import HoldfastCore
import HoldfastTransport

/// The engine's assumptions about the values from a transport. Values that the engine validates itself are not
/// checked here.
enum Held {
  /// The first moment of the year 0, and the last of the year 9999. Every date format can write the dates between
  /// them.
  private static let dates =
    Date(timeIntervalSince1970: -62_167_219_200)...Date(timeIntervalSince1970: 253_402_300_799.999)

  static func check(_ items: [IncomingItem]) { for item in items { check(item) } }

  static func check(_ item: IncomingItem) {
    switch item {
    case .message(let message): check(message)
    case .operation(let operation):
      check(operation.createdAt)
      _ = Reconciler.isPlausible(operation)
    case .conversation, .readMark, .removed: break
    }
  }

  static func check(_ message: IncomingMessage) {
    for date in [message.createdAt, message.editedAt, message.deletedAt] { date.map(check) }
    _ = Reconciler.isPlausible(message)
  }

  static func check(_ date: Date) {
    precondition(dates.contains(date), "no calendar has \(date.timeIntervalSince1970) seconds since 1970")
    _ = date.microseconds
  }

  /// A day at most: a longer wait would block a phone.
  static func check(_ wait: Duration?) {
    guard let wait else { return }
    precondition(wait >= .zero && wait <= .seconds(86_400), "a wait of \(wait)")
  }
}

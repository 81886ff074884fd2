import GRDB
import HoldfastCore

extension Transaction {
  package func setWaitingMark(_ mark: WaitingClock.Mark) throws {
    try set(.waitingReading, to: mark.reading)
    try set(.waitingDate, to: mark.date)
  }
}

extension Reading {
  /// The mark of the ``WaitingClock``. Nil before the first launch has stored one, and when the stored values are
  /// not a mark.
  package func waitingMark() throws -> WaitingClock.Mark? {
    guard let reading = try setting(.waitingReading), let date = try setting(.waitingDate) else { return nil }
    return WaitingClock.Mark(reading: reading, date: date)
  }
}

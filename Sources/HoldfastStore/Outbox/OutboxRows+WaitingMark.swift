import GRDB
import HoldfastCore

extension OutboxRows where Access == Transaction {
  package func setWaitingMark(_ mark: WaitingClock.Mark) throws {
    try db.settings.set(.waitingReading, to: mark.reading)
    try db.settings.set(.waitingDate, to: mark.date)
  }
}

extension OutboxRows {
  /// The mark of the ``WaitingClock``. Nil before the first launch has stored one, and when the stored values are
  /// not a mark.
  package func waitingMark() throws -> WaitingClock.Mark? {
    guard let reading = try db.settings.value(.waitingReading), let date = try db.settings.value(.waitingDate)
    else { return nil }
    return WaitingClock.Mark(reading: reading, date: date)
  }
}

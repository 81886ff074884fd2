import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The time that a message has waited, under wrong dates.
@Suite struct WaitingClockTests {
  private func launch(
    after last: WaitingClock? = nil, dateAtLastLaunch: Date = eg.date,
    newest: Int64? = nil, date: Date
  ) -> WaitingClock {
    // The mark that the last launch stored when it began.
    let mark = last.map { $0.mark(date: dateAtLastLaunch, at: .zero) }
    return WaitingClock(mark: mark, newest: newest, date: date, uptime: .zero)
  }

  // O16.1, O17.3
  @Test func `while the app runs, the waiting clock gives the age, and no date does`() {
    let clock = WaitingClock(mark: nil, newest: nil, date: eg.date, uptime: .seconds(5))
    let sent = clock.reading(at: .seconds(10))
    #expect(sent == eg.date.microseconds + 5_000_000)
    #expect(clock.age(of: sent, at: .seconds(70)) == .seconds(60))
  }

  // O16.1, O17.3
  @Test func `between two launches the date says how long it was`() {
    let first = launch(date: eg.date)
    let sent = first.reading(at: .seconds(60))
    let second = launch(after: first, newest: sent, date: eg.date.addingTimeInterval(86_460))
    #expect(second.age(of: sent, at: .zero) == .seconds(86_400))
  }

  // O16, O17.3
  @Test func `a date that went back between two launches counts as no time, and no age is negative`() {
    let first = launch(date: eg.date)
    let old = first.reading(at: .seconds(60))
    let newest = first.reading(at: .seconds(3660))
    let second = launch(after: first, newest: newest, date: .distantPast)
    #expect(second.age(of: newest, at: .zero) == .zero)
    #expect(second.age(of: old, at: .zero) == .seconds(3600), "What had waited before is not forgotten.")
    #expect(second.age(of: old, at: .seconds(60)) == .seconds(3660), "Time goes on from there.")
  }

  // O16, O17
  @Test func `a date that is set right again afterwards makes nothing older than it is by the date`() {
    let wrong = launch(date: eg.date)
    let back = launch(after: wrong, date: eg.date.addingTimeInterval(-3600))
    let sent = back.reading(at: .zero)
    let right = launch(
      after: back, dateAtLastLaunch: eg.date.addingTimeInterval(-3600), newest: sent,
      date: eg.date.addingTimeInterval(60))
    #expect(right.age(of: sent, at: .zero) == .seconds(3660))
  }

  private static let absurd: [Int64] = [.min, -1 << 62, -1 << 60, 0, 1 << 60, 1 << 62, .max]
  /// Dates in seconds, because Foundation cannot describe an invalid date.
  private static let absurdDates: [TimeInterval] = [
    Date.distantPast.timeIntervalSince1970, Date.distantFuture.timeIntervalSince1970, .infinity, -.infinity,
    .nan, 1e300, -1e300, eg.date.timeIntervalSince1970,
  ]

  // O16, O17
  @Test(arguments: absurdDates)
  func `absurd dates and damaged marks give some age, and never a negative one`(seconds: TimeInterval) {
    let date = Date(timeIntervalSince1970: seconds)
    for reading in Self.absurd {
      for markedAt in Self.absurd {
        for newest in Self.absurd + [nil] {
          let clock = WaitingClock(
            mark: .init(reading: reading, date: markedAt), newest: newest, date: date, uptime: .zero)
          let mark = clock.mark(date: date, at: .seconds(9))
          #expect(WaitingClock.range.contains(mark.reading))
          #expect(WaitingClock.range.contains(mark.date))
          for sent in Self.absurd { #expect(clock.age(of: sent, at: .seconds(9)) >= .zero) }
          #expect(clock.reading(at: .seconds(9)) >= clock.reading(at: .zero))
          #expect(WaitingClock.range.contains(clock.reading(.seconds(Int64.max), before: .zero)))
          #expect(WaitingClock.range.contains(clock.reading(.seconds(Int64.min), before: .zero)))
        }
      }
    }
  }

  @Test func `a wait in microseconds is exact, and stops at the ends of the range`() {
    #expect(WaitingClock.microseconds(.milliseconds(1500)) == 1_500_000)
    #expect(WaitingClock.microseconds(.microseconds(-3)) == -3)
    for absurd in [Duration.seconds(Int64.max), .seconds(Int64.max) + .seconds(Int64.max)] {
      #expect(WaitingClock.microseconds(absurd) == WaitingClock.range.upperBound)
      #expect(WaitingClock.microseconds(.zero - absurd) == WaitingClock.range.lowerBound)
    }
  }

  // O16.1
  @Test(arguments: [Duration.seconds(Int64.max), .zero - .seconds(Int64.max)])
  func `an absurd age to hold after is an age like any other`(age: Duration) throws {
    try Bench.simulate { bench in
      try await bench.running(.init(outbox: .init(heldAfter: age))) { client in
        try client.send("hi", in: eg.conversation)
        bench.transport.say(.ready)
        try await bench.pass(.seconds(1))
        #expect(try client.held.snapshot().count == (age < .zero ? 1 : 0))
      }
    }
  }

  @Test func `an invalid mark is ignored`() throws {
    let bench = try Bench()
    let store = try bench.store()
    try StoreSurgery.damageWaitingMark(in: store)
    #expect(try store.read { try $0.outbox.waitingMark() } == nil)
    _ = try bench.client()
  }

  @Test(arguments: absurdDates)
  func `an absurd date makes an ID all the same`(seconds: TimeInterval) {
    let environment = ChatEnvironment(now: { Date(timeIntervalSince1970: seconds) })
    #expect(MessageID(rawValue: environment.makeID()).isWellFormed)
    #expect(environment.makeID() != environment.makeID())
  }

  @Test func `a message from a reading that is ahead has not waited`() {
    let clock = launch(date: eg.date)
    #expect(clock.age(of: clock.reading(at: .seconds(9)), at: .zero) == .zero)
  }

  // O6
  @Test func `an age that rests on a date which went back is not known, and one of this launch is`() {
    let first = launch(date: eg.date)
    let old = first.reading(at: .seconds(60))
    let forward = launch(after: first, newest: old, date: eg.date.addingTimeInterval(3600))
    #expect(forward.knownAge(of: old, at: .zero) == .seconds(3540))
    let back = launch(after: first, newest: old, date: eg.date.addingTimeInterval(-3600))
    #expect(back.knownAge(of: first.reading(at: .seconds(30)), at: .seconds(5)) == nil)
    #expect(back.knownAge(of: back.reading(at: .seconds(5)), at: .seconds(9)) == .seconds(4))
    #expect(forward.knownAge(of: .max, at: .zero) == nil)
    let sentAt = first.reading(at: .seconds(90))
    let backBehindIt = launch(after: first, newest: sentAt, date: eg.date.addingTimeInterval(-3600))
    #expect(
      backBehindIt.knownAge(of: sentAt, at: .seconds(40)) == nil,
      "The mark was stored before the message left, and the app was not running for a time that nobody knows."
    )
  }
}

import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastTransport

/// A new phone's place among the pages of the newest messages (SPEC B6).
@Suite struct RecentPagesTests {
  private static let now: ChatEnvironment.Instant = .seconds(1)

  private static func page(after: String?, place: String?, cursor: Int64 = 7) -> Wire.Events {
    Wire.Events(
      after: nil, cursor: cursor, items: [], more: true, recent: .init(after: after, place: place))
  }

  // B6.4
  @Test func `the pages follow on each other, and the last one leads into the log`() {
    var catchUp = CatchUp(resumingAfter: nil, recent: 100)
    #expect(catchUp.sync == Wire.Sync(after: nil, recent: .init(count: 100)))
    #expect(
      catchUp.arrived(Self.page(after: nil, place: "7/3"), at: Self.now)
        == .deliver(SyncCursor(rawValue: "recent 7/3")))
    // A copy, or a page that follows on another place.
    #expect(catchUp.arrived(Self.page(after: nil, place: "7/3"), at: Self.now) == .passOver)
    #expect(catchUp.takeOwedSync(at: Self.now))
    #expect(catchUp.sync.recent?.after == "7/3")
    #expect(catchUp.arrived(Self.page(after: "7/2", place: "7/4"), at: Self.now) == .passOver)
    #expect(
      catchUp.arrived(Self.page(after: "7/3", place: nil), at: Self.now)
        == .deliver(SyncCursor(rawValue: "7")))
    #expect(catchUp.takeOwedSync(at: Self.now))
    #expect(catchUp.sync == Wire.Sync(after: 7))
  }

  // B6.4
  @Test func `a phone that was killed meanwhile goes on, and a server that begins anew is followed`() {
    var catchUp = CatchUp(resumingAfter: SyncCursor(rawValue: "recent 7/3"), recent: 100)
    #expect(catchUp.sync.recent?.after == "7/3")
    #expect(
      catchUp.arrived(Self.page(after: nil, place: "2/1", cursor: 2), at: Self.now)
        == .deliver(SyncCursor(rawValue: "recent 2/1")))
  }

  // B6.4
  @Test func `a server that knows nothing of it sends the log, and a phone that has a place wants no other`() {
    var catchUp = CatchUp(resumingAfter: nil, recent: 100)
    let log = Wire.Events(after: nil, cursor: 3, items: [], more: false)
    #expect(catchUp.arrived(log, at: Self.now) == .deliver(SyncCursor(rawValue: "3")))
    #expect(CatchUp(resumingAfter: SyncCursor(rawValue: "3"), recent: 100).sync == Wire.Sync(after: 3))
    var late = CatchUp(resumingAfter: SyncCursor(rawValue: "3"), recent: 100)
    #expect(late.arrived(Self.page(after: nil, place: "7/3"), at: Self.now) == .passOver)
  }
}

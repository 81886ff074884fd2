import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastTransport

/// The cursor of a new phone in the pages of the newest messages (rule B6).
@Suite struct RecentPagesTests {
  /// The cursor of a phone, which each call changes.
  private final class Place {
    private var catchUp: CatchUp

    init(_ cursor: String?) {
      catchUp = CatchUp(resumingAfter: cursor.map(SyncCursor.init(rawValue:)), recent: 100)
    }

    var sync: Wire.Sync { catchUp.sync }
    func arrived(_ page: Wire.Events) -> CatchUp.Step { catchUp.arrived(page, at: .seconds(1)) }
    func owes() -> Bool { catchUp.askIfOwed(at: .seconds(1)) }
  }

  private static func page(after: String?, place: String?, cursor: Int64 = 7) -> Wire.Events {
    Wire.Events(
      after: nil, cursor: cursor, items: [], more: true, recent: .init(after: after, place: place))
  }

  // B6.4
  @Test func `the pages follow on each other, and the last one leads into the log`() {
    let catchUp = Place(nil)
    #expect(catchUp.sync == Wire.Sync(after: nil, recent: .init(count: 100)))
    #expect(
      catchUp.arrived(Self.page(after: nil, place: "7/3"))
        == .deliver(SyncCursor(rawValue: "recent 7/3")))
    // This is a copy, or a page that follows another cursor.
    #expect(catchUp.arrived(Self.page(after: nil, place: "7/3")) == .skip)
    #expect(catchUp.owes())
    #expect(catchUp.sync.recent?.after == "7/3")
    #expect(catchUp.arrived(Self.page(after: "7/2", place: "7/4")) == .skip)
    #expect(
      catchUp.arrived(Self.page(after: "7/3", place: nil))
        == .deliver(SyncCursor(rawValue: "7")))
    #expect(catchUp.owes())
    #expect(catchUp.sync == Wire.Sync(after: 7))
  }

  // B6.4
  @Test func `a phone that was killed meanwhile goes on, and a server that begins anew is followed`() {
    let catchUp = Place("recent 7/3")
    #expect(catchUp.sync.recent?.after == "7/3")
    #expect(
      catchUp.arrived(Self.page(after: nil, place: "2/1", cursor: 2))
        == .deliver(SyncCursor(rawValue: "recent 2/1")))
  }

  // B6.4
  @Test func `a server that knows nothing of it sends the log, which a phone with a place wants alone`() {
    let catchUp = Place(nil)
    let log = Wire.Events(after: nil, cursor: 3, items: [], more: false)
    #expect(catchUp.arrived(log) == .deliver(SyncCursor(rawValue: "3")))
    #expect(Place("3").sync == Wire.Sync(after: 3))
    let late = Place("3")
    #expect(late.arrived(Self.page(after: nil, place: "7/3")) == .skip)
  }
}

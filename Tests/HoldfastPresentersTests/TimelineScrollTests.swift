import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

private typealias eg = EngineExample

/// The times and destinations of a timeline's scrolling (rules R3, H7).
@Suite struct TimelineScrollTests {
  private func shown(
    _ ids: [MessageID], isOwn: Bool = false, isUnsent: Bool = false, hasNewer: Bool = false,
    in conversation: ConversationID = eg.conversation
  ) -> TimelineScroll.Shown {
    let rows = ids.map { id in
      let isLast = id == ids.last
      return MessageRow(
        id: id, sender: isOwn && isLast ? eg.user : eg.other, isMine: isOwn && isLast, role: .user,
        content: MessageContent("\(id)"), createdAt: eg.date,
        status: MessageStatus(isUnsent && isLast ? .offline : .delivered))
    }
    return .init(
      ConversationSnapshot(id: conversation, title: "", rows: rows, hasNewer: hasNewer), isOwn: isOwn)
  }

  // R3.2
  @Test func `opened -> at its end, or where its reader was`() {
    var scroll = TimelineScroll()
    #expect(scroll.show(shown(["1", "2"])) == .toEnd(animated: false))
    #expect((scroll.isAtEnd, scroll.offersNewest) == (true, false))
    let anchor = ScrollPositions.Anchor(message: "8", offset: 0.5)
    #expect(scroll.show(shown(["8", "9"], hasNewer: true, in: "other"), anchor: anchor) == .to(anchor))
    #expect((scroll.isAtEnd, scroll.offersNewest) == (false, true))
    // The anchor is used only when the timeline is opened.
    #expect(scroll.show(shown(["8", "9"], hasNewer: true, in: "other"), anchor: anchor) == .stay)
  }

  // R3.2
  @Test func `at the end -> follows what comes`() {
    var scroll = TimelineScroll()
    _ = scroll.show(shown(["1"]))
    #expect(scroll.show(shown(["1", "2"])) == .toEnd(animated: false))
    #expect(scroll.show(shown(["1", "2", "3"], isOwn: true, isUnsent: true)) == .toEnd(animated: true))
    #expect(!scroll.offersNewest)
  }

  // R3.2
  @Test func `reading earlier ones -> stays, and offers the newest`() {
    var scroll = TimelineScroll()
    _ = scroll.show(shown(["1", "2"]))
    scroll.scrolled(isAtEnd: false)
    #expect(scroll.show(shown(["0", "1", "2"])) == .stay)
    #expect(!scroll.offersNewest, "Nothing new has come.")
    #expect(scroll.show(shown(["0", "1", "2", "3"])) == .stay)
    #expect(scroll.offersNewest)
    #expect(scroll.tapNewest() == .move(.toEnd(animated: true)))
    #expect((scroll.isAtEnd, scroll.offersNewest) == (true, false))
    scroll.scrolled(isAtEnd: false)
    _ = scroll.show(shown(["0", "1", "2", "3", "4"]))
    scroll.scrolled(isAtEnd: true)
    #expect(!scroll.offersNewest, "The reader has come there himself.")
  }

  // R3.2
  @Test func `reading earlier ones -> to the end with an own word`() {
    var scroll = TimelineScroll()
    _ = scroll.show(shown(["1", "2"]))
    scroll.scrolled(isAtEnd: false)
    #expect(scroll.show(shown(["1", "2", "3"], isOwn: true, isUnsent: true)) == .toEnd(animated: true))
  }

  // H7.2
  @Test func `around an earlier message -> the newest are loaded before the timeline goes there`() {
    var scroll = TimelineScroll()
    #expect(scroll.show(shown(["5", "6"], hasNewer: true), hit: "5") == .toMiddle("5"))
    #expect(scroll.offersNewest)
    // Rows that were loaded after the last row are not new.
    #expect(scroll.show(shown(["5", "6", "7"], hasNewer: true)) == .stay)
    #expect(scroll.tapNewest() == .load)
    #expect(scroll.show(shown(["8", "9"])) == .toEnd(animated: false))
    #expect((scroll.isAtEnd, scroll.offersNewest) == (true, false))
  }

  // H7.2
  @Test func `around an earlier message -> the end is loaded by the reader, and he stays`() {
    var scroll = TimelineScroll()
    _ = scroll.show(shown(["5", "6"], hasNewer: true), hit: "5")
    #expect(scroll.show(shown(["5", "6", "7"])) == .stay)
    // A message that was sent from there is new.
    #expect(scroll.show(shown(["5", "6", "7", "8"], isOwn: true, isUnsent: true)) == .toEnd(animated: true))
  }
}

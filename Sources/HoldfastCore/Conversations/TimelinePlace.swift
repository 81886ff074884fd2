/// The place of a message in the timeline, before the order of arrival decides. The place is one number, so
/// that one index serves the visible page:
///
/// ```
///   2   4   6   7   8  …  2^61+1…  2^62  2^62
///   1st 2nd 3rd │   4th   │        under way: always at the bottom
///               │         └ confirmed, and not placed by an event yet: in the order of the acknowledgements
///               └ failed after the third had been confirmed: it stays, and the ones behind it pass
/// ```
///
/// The timeline is not sorted by time, because the owner of a device can change its clock. The delivery state is not
/// stored with the message, because a crash would make it wrong. The place is only about the order on the screen, and
/// is set in the transaction that changes the fact behind it.
package enum TimelinePlace {
  package static let underWay: Int64 = 1 << 62
  /// The first place of a message that its acknowledgement has confirmed without placing it.
  package static let unplaced: Int64 = (1 << 61) + 1
  /// Higher orders come from no server, and would not fit.
  package static let maximumOrder: Int64 = 1 << 60

  package static func confirmed(order: Int64) -> Int64 { order * 2 }
  package static func failed(behind lastConfirmed: Int64) -> Int64 { lastConfirmed | 1 }
  package static func next(behind lastConfirmed: Int64) -> Int64 { (lastConfirmed | 1) + 1 }
}

/// A place among the pages of the newest messages: the conversations in the order of their last event before the
/// first page was sent. Later events come from the log, so that each conversation is sent once, in its state at that
/// time.
struct RecentPlace: Sendable, Hashable {
  /// The log's end when the first page was sent. The client continues there in the log.
  var head: Int64
  /// The last event of the last conversation that was sent.
  var last: Int64 = 0

  init(head: Int64) { self.head = head }

  init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
    guard numbers.count == 2, let head = numbers[0], let last = numbers[1], last >= 0, head >= last else {
      return nil
    }
    (self.head, self.last) = (head, last)
  }

  var text: String { "\(head)/\(last)" }
}

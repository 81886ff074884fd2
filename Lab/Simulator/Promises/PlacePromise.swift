import Holdfast

/// The place of one window, and how much of it is safe. The simulated user keeps it, and it is compared with
/// the place that a launch brings back.
struct PlacePromise: Sendable {
  /// The pause after which the place is stored (rule R8): one millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// The place that is stored for certain. Nil when it is nowhere.
  private(set) var stored: String?
  /// The places since then, each with its time.
  private var since: [(place: String?, at: Duration)] = []
  private var isClosing = false

  var place: String? { since.last.map(\.place) ?? stored }

  mutating func go(to place: String?, at time: Duration) { since.append((place, time)) }

  /// Notes a place as stored, because a call that stores it has returned, or because a launch has brought it
  /// back.
  mutating func store(_ place: String?) { self = PlacePromise(stored: place) }

  /// Notes that the window is being closed for good. It is not known yet whether the close succeeds.
  mutating func mayClose() {
    since.append((nil, .zero))
    isClosing = true
  }

  /// The places that a launch may bring back after the process ended at `end`. `savesItself` is true when
  /// autosave ran and had a disk to write on.
  func mayComeBack(after end: Duration, savesItself: Bool) -> [String?] {
    if savesItself, !isClosing, let last = since.last, end - last.at > Self.pause { return [last.place] }
    return [stored] + since.map(\.place)
  }
}

extension PlacePromise {
  init(stored: String?) {
    self.stored = stored
    since = []
  }
}

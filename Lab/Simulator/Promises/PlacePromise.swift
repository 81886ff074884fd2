import Holdfast

/// The place of one window, and the part of it that is safe. It is kept by the simulated user, and compared with the
/// place that a launch restores.
struct PlacePromise: Sendable {
  /// The pause after which the place is stored (rule R8): one millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// The place that is certainly stored. Nil when none is.
  private(set) var stored: String?
  /// The places since then, each with its time.
  private var since: [(place: String?, at: Duration)] = []
  private var isClosing = false

  var place: String? { since.last.map(\.place) ?? stored }

  mutating func go(to place: String?, at time: Duration) { since.append((place, time)) }

  /// Records a place as stored, because a call that stores it has returned, or because a launch has restored it.
  mutating func store(_ place: String?) { self = PlacePromise(stored: place) }

  /// Records that the window is being closed for good. It is not known yet whether the close succeeds.
  mutating func mayClose() {
    since.append((nil, .zero))
    isClosing = true
  }

  /// The places that a launch may restore after the process ended at `end`. `savesItself` is true when autosave ran
  /// and had space on the disk.
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

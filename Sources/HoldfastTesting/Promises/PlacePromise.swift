import Holdfast

/// Where one window is, and how much of it is safe: kept by whoever uses it, and compared with what a launch brings back.
struct PlacePromise: Sendable {
  /// R8: a pause this long, and the place is stored. A millisecond more than the engine takes.
  static let pause: Duration = .milliseconds(701)

  /// Where it was when it was stored for sure. Nil: nowhere.
  private(set) var stored: String?
  /// Where it has been since, each with its time.
  private var since: [(place: String?, at: Duration)] = []
  private var isClosing = false

  var place: String? { since.last.map(\.place) ?? stored }

  mutating func go(to place: String?, at time: Duration) { since.append((place, time)) }

  /// A call that stores it has returned, or a launch has brought it back.
  mutating func store(_ place: String?) { self = PlacePromise(stored: place) }

  /// The window is being closed for good, and nobody knows yet whether it is.
  mutating func mayClose() {
    since.append((nil, .zero))
    isClosing = true
  }

  /// What a launch may bring back after an end at `end`. `savesItself`: autosave ran, and had a disk to write on.
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

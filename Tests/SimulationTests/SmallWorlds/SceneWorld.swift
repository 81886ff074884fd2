import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// A window that is scrolled, saved and killed, with a disk that may be full.
///
/// The model: the place of the window, the place on disk, the time since when they differ, and the time of the last
/// scroll. A pause is 700 ms, the default. The maximum interval is 1.5 s, so that few movements reach it.
struct SceneWorld: SmallWorld {
  enum Event: String, CaseIterable, CustomStringConvertible {
    case scroll = "it is scrolled"
    case goBack = "it is scrolled back to where the disk has it"
    case passes = "600 ms pass"
    case nearlyDue = "it is due but for a millisecond"
    case due = "it is due"
    case autosave = "what is due is saved"
    case autosaveFails = "what is due cannot be saved"
    case scrollsMeanwhile = "what is due is saved, and it is scrolled meanwhile"
    case hardSave = "a hard save"
    case hardSaveFails = "a hard save that fails"
    case killed = "the app is killed, and launched again"
    var description: String { rawValue }
  }

  private static let ceiling = Duration.milliseconds(1500)
  private static let intervals = ChatConfiguration.SaveIntervals(pause: .milliseconds(700), ceiling: ceiling)
  private static let places = 3

  private var buffer = SceneBuffer(stored: 0, intervals: intervals)
  private var now = Duration.zero
  private var place = 0
  private(set) var disk = 0
  private var firstUnsaved: Duration?
  private var lastMove = Duration.zero
  private var failedAt: Duration?

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(place)
    hasher.combine(disk)
    hasher.combine(firstUnsaved)
    hasher.combine(lastMove)
    hasher.combine(failedAt)
  }

  /// The earlier of a pause after the last movement and the maximum interval after the first; the maximum interval
  /// after a failed save.
  private var due: Duration? {
    guard place != disk, let firstUnsaved else { return nil }
    let due = min(lastMove + .milliseconds(700), firstUnsaved + Self.ceiling)
    return failedAt.map { max(due, $0 + Self.ceiling) } ?? due
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.scroll, .passes, .hardSave, .killed]
    if place != disk { events += [.goBack, .hardSaveFails] }
    if let due { events += due > now ? [.nearlyDue, .due] : [.autosave, .autosaveFails, .scrollsMeanwhile] }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .scroll: move(to: (place + 1) % Self.places)
    case .goBack: move(to: disk)
    case .passes: now += .milliseconds(600)
    case .nearlyDue: now = max(now, (due ?? now) - .milliseconds(1))
    case .due: now = due ?? now
    case .autosave, .autosaveFails, .scrollsMeanwhile:
      try agree("what to do", machine: buffer.action(now: now), model: .write)
      let written = place
      if event == .scrollsMeanwhile { move(to: (place + 1) % Self.places) }
      save(written, succeeds: event != .autosaveFails)
    case .hardSave, .hardSaveFails:
      // A hard save of the stored place writes nothing.
      if buffer.hasChanges { save(place, succeeds: event == .hardSave) }
    case .killed:
      (place, firstUnsaved, failedAt) = (disk, nil, nil)
      buffer = SceneBuffer(stored: disk, intervals: Self.intervals)
    }
    try agree("the place", machine: buffer.content, model: place)
    try agree("whether it is to be saved", machine: buffer.hasChanges, model: place != disk)
    try agree("when", machine: buffer.deadline, model: due)
    let expected: DebouncedSave.Action = due.map { $0 > now ? .sleep(until: $0) : .write } ?? .none
    try agree("what to do", machine: buffer.action(now: now), model: expected)
    if event == .hardSave { try require(place == disk, "after a hard save, the place is on disk") }
  }

  private mutating func move(to new: Int) {
    buffer.change(to: new, now: now)
    guard new != place else { return }
    place = new
    lastMove = now
    firstUnsaved = place == disk ? nil : firstUnsaved ?? now
  }

  private mutating func save(_ written: Int, succeeds: Bool) {
    guard succeeds else {
      failedAt = now
      return buffer.failed(now: now)
    }
    disk = written
    (firstUnsaved, failedAt) = (place == disk ? nil : lastMove, nil)
    buffer.wrote(written)
  }

  /// R8: after a pause, the place is on disk, and nothing more is written.
  mutating func comeToRest() throws {
    if let due {
      now = max(now, due)
      try take(.autosave)
    }
    try require(place == disk && buffer.action(now: now) == .none, "where it was left is on disk")
  }
}

extension SmallWorlds {
  @Suite struct SceneTests {
    // R8.1
    @Test func `every order of 8 events of a window and a disk that may be full`() async {
      let walk = await EveryOrder.walked(from: SceneWorld(), depth: 8)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 818_145, "\(walk)")
      #expect(walk.ends.contains { $0.disk == 2 })
    }
  }
}

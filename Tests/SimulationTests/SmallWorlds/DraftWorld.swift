import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// A composer that is typed into, saved, sent from and killed, with a disk that may be full.
///
/// The model: the contents of the composer and of the disk, the time since when they differ, and the time of the
/// last keystroke. A pause is 700 ms, the default. The maximum interval is 1.5 s, so that few keystrokes reach it.
struct DraftWorld: SmallWorld {
  enum Event: String, CaseIterable, CustomStringConvertible {
    case type = "a letter is typed"
    case erase = "everything is erased"
    case blank = "it is replaced by white space"
    case takeBack = "it is typed back to what is on disk"
    case moveCursor = "the cursor moves"
    case passes = "600 ms pass"
    case nearlyDue = "it is due but for a millisecond"
    case due = "it is due"
    case autosave = "what is due is saved"
    case autosaveFails = "what is due cannot be saved"
    case hardSave = "a hard save"
    case hardSaveFails = "a hard save that fails"
    case send = "it is sent"
    case returns = "an unsent message returns to the composer"
    case killed = "the app is killed, and launched again"
    var description: String { rawValue }
  }

  private static let ceiling = Duration.milliseconds(1500)
  private static let intervals = ChatConfiguration.SaveIntervals(pause: .milliseconds(700), ceiling: ceiling)

  let allowed: Set<Event>

  private var buffer = DraftBuffer(stored: DraftContent(), intervals: intervals)
  private var now = Duration.zero
  private var composer = DraftContent()
  /// An absent draft is represented by empty content.
  private(set) var disk = DraftContent()
  private var firstUnsaved: Duration?
  private var lastKey = Duration.zero
  private var failedAt: Duration?

  init(_ allowed: [Event] = Event.allCases) { self.allowed = Set(allowed) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(composer)
    hasher.combine(disk)
    hasher.combine(firstUnsaved)
    hasher.combine(lastKey)
    hasher.combine(failedAt)
  }

  private var isBlank: Bool { !composer.text.contains { !" \n".contains($0) } }
  private var worthKeeping: DraftContent { isBlank ? DraftContent() : composer }
  private var isUnsaved: Bool { worthKeeping != disk }

  /// The earlier of a pause after the last key and the maximum interval after the first; the maximum interval after
  /// a failed save (D2, D3, S4).
  private var due: Duration? {
    guard isUnsaved, let firstUnsaved else { return nil }
    let due = min(lastKey + .milliseconds(700), firstUnsaved + Self.ceiling)
    return failedAt.map { max(due, $0 + Self.ceiling) } ?? due
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.blank, .moveCursor, .passes, .hardSave, .returns, .killed]
    if composer != DraftContent() { events.append(.erase) }
    if isUnsaved { events += [.takeBack, .hardSaveFails] }
    if composer.text.utf8.count < 3 { events.append(.type) }
    if !isBlank { events.append(.send) }
    if let due { events += due > now ? [.nearlyDue, .due] : [.autosave, .autosaveFails] }
    return events.filter(allowed.contains)
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .type: try edit(DraftContent(composer.text + "x"))
    case .erase: try edit(DraftContent())
    case .blank: try edit(DraftContent(" \n"))
    case .takeBack: try edit(disk)
    case .moveCursor:
      try edit(DraftContent(composer.text, selection: TextRange(start: 0, end: 0)))
    case .passes: now += .milliseconds(600)
    case .nearlyDue: now = max(now, (due ?? now) - .milliseconds(1))
    case .due: now = due ?? now
    case .autosave, .autosaveFails:
      try agree("what to do", machine: buffer.action(now: now), model: .write)
      save(succeeds: event == .autosave)
    case .hardSave, .hardSaveFails:
      // D18: a hard save of the stored text writes nothing.
      if buffer.hasChanges { save(succeeds: event == .hardSave) }
    case .send: replace(with: DraftContent())
    case .returns: replace(with: DraftContent("t" + composer.text.suffix(1)))
    case .killed:
      (composer, firstUnsaved, failedAt) = (disk, nil, nil)
      buffer = DraftBuffer(stored: disk, intervals: Self.intervals)
    }
    try compare()
    if event == .hardSave { try require(!isUnsaved, "after a hard save, the newest text is on disk") }
  }

  private mutating func edit(_ content: DraftContent) throws {
    let action = buffer.edit(content, now: now)
    let isKey = content != composer
    composer = content
    if !isUnsaved {
      firstUnsaved = nil
    } else if isKey {
      firstUnsaved = firstUnsaved ?? now
      lastKey = now
    }
    let expected: DebouncedSave.Action = due.map { $0 > now ? .sleep(until: $0) : .write } ?? .none
    try agree("what to do", machine: action, model: expected)
  }

  private mutating func save(succeeds: Bool) {
    let content = buffer.content
    guard succeeds else {
      failedAt = now
      return buffer.failed(now: now)
    }
    disk = content.text.contains { !" \n".contains($0) } ? content : DraftContent()
    (firstUnsaved, failedAt) = (nil, nil)
    buffer.wrote(content)
  }

  /// D7: composer and disk change in one transaction, so that nothing is left to save.
  private mutating func replace(with content: DraftContent) {
    buffer.replace(with: content)
    (composer, disk, firstUnsaved, failedAt) = (content, content, nil, nil)
  }

  private func compare() throws {
    try agree("the composer", machine: buffer.content, model: composer)
    try agree("whether it is to be saved", machine: buffer.hasChanges, model: isUnsaved)
    try agree("when", machine: buffer.deadline, model: due)
  }

  /// D2: after a pause, the newest text is on disk, and nothing more is written.
  mutating func comeToRest() throws {
    if let due {
      now = max(now, due)
      try take(.autosave)
    }
    try require(!isUnsaved && buffer.action(now: now) == .none, "what was typed last is on disk")
  }
}

extension SmallWorlds {
  @Suite struct DraftTests {
    // D2.1, D3, D4, D6, D7, D18.1
    @Test func `every order of 6 events of a composer and a disk that may be full`() async {
      let walk = await EveryOrder.walked(from: DraftWorld(), depth: 6)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 470_339, "\(walk)")
      #expect(walk.ends.contains { $0.disk.text == "xxx" })
    }

    // D2.1, D3, D18.1
    @Test func `every order of 9 events of a composer that is typed into and saved`() async {
      let world = DraftWorld([.type, .takeBack, .passes, .nearlyDue, .due, .autosave, .autosaveFails])
      let walk = await EveryOrder.walked(from: world, depth: 9)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 106_539, "\(walk)")
    }

    // D2.1, D3.1
    @Test func `the intervals are 700 ms and 10 s by default`() {
      #expect(ChatConfiguration.SaveIntervals() == .init(pause: .milliseconds(700), ceiling: .seconds(10)))
    }
  }
}

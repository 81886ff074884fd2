import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// A composer whose writes take time, as with a slower store. The user types while a text is being written to the
/// disk.
struct SlowDraftWorld: SmallWorld {
  enum Event: String, CustomStringConvertible {
    case type = "a letter is typed"
    case takeBack = "everything is erased"
    case passes = "400 ms pass"
    case writeBegins = "a write begins"
    case writeReturns = "it is on disk"
    case writeFails = "it fails"
    var description: String { rawValue }
  }

  private static let intervals = ChatConfiguration.SaveIntervals(ceiling: .milliseconds(1500))

  private var buffer = DraftBuffer(stored: DraftContent(), intervals: intervals)
  private var now = Duration.zero
  /// Every text has a number that grows with each key. An older text is never written after a newer one.
  private var composer = (key: 0, text: "")
  private var disk = (key: 0, text: "")
  private var writing: (key: Int, text: String)?

  static func == (left: SlowDraftWorld, right: SlowDraftWorld) -> Bool {
    left.buffer == right.buffer && left.now == right.now && left.composer == right.composer
      && left.disk == right.disk && left.writing?.key == right.writing?.key
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(buffer.deadline)
    hasher.combine(composer.key)
    hasher.combine(composer.text)
    hasher.combine(disk.key)
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.takeBack, .passes]
    // Shorter than a text that becomes a version when it is erased; `TextLossTests` has those.
    if composer.text.utf8.count < TextLoss.least - 1 { events.insert(.type, at: 0) }
    if writing != nil { return events + [.writeReturns, .writeFails] }
    if case .write = buffer.action(now: now) { events.append(.writeBegins) }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .type, .takeBack:
      composer = (composer.key + 1, event == .type ? composer.text + "x" : "")
      _ = buffer.edit(DraftContent(composer.text), now: now)
    case .passes: now += .milliseconds(400)
    case .writeBegins:
      try agree(
        "what is written", machine: buffer.action(now: now), model: .write)
      writing = composer
    case .writeReturns:
      guard let written = writing else { break }
      try require(written.key > disk.key, "no older text overwrites a newer one")
      (disk, writing) = (written, nil)
      buffer.wrote(DraftContent(written.text))
    case .writeFails:
      writing = nil
      buffer.failed(now: now)
    }
    try agree("the composer", machine: buffer.content.text, model: composer.text)
    try agree("whether it is to be saved", machine: buffer.hasChanges, model: composer.text != disk.text)
    try agree("whether it will be", machine: buffer.deadline != nil, model: composer.text != disk.text)
  }

  /// D2, D3: in the end, the newest text is on disk.
  mutating func comeToRest() throws {
    if writing != nil { try take(.writeReturns) }
    now = max(now, buffer.deadline ?? now)
    if buffer.hasChanges {
      try take(.writeBegins)
      try take(.writeReturns)
    }
    try agree("the disk", machine: disk.text, model: composer.text)
  }
}

extension SmallWorlds {
  @Suite struct SlowDraftTests {
    // D2.1, D13.3
    @Test func `every order of 9 events of a composer whose writes take time`() async {
      let walk = await EveryOrder.walked(from: SlowDraftWorld(), depth: 9)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 24_969, "\(walk)")
    }
  }
}

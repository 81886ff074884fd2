import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

/// A message of four pieces on its way to the screen and to the disk: to the database, or first to the stream log.
/// Pieces arrive in any order, twice or never. The disk is slow, and the process may end between any two steps.
///
/// The model counts: the screen has the pieces before `shown`, and the disk has those before `written`.
struct TokenWorld: SmallWorld {
  enum Event: CustomStringConvertible {
    case piece(Int)
    case passes, due, writeBegins, writeCommits, writeReturns, writeFails, appends, folds, killed

    var description: String {
      switch self {
      case .piece(let number): "piece \(number) arrives"
      case .passes: "100 ms pass"
      case .due: "the next chunk is due"
      case .writeBegins: "a write begins"
      case .writeCommits: "it is on disk"
      case .writeReturns: "the write returns"
      case .writeFails: "the write fails"
      case .appends: "what is unsaved goes to the tail"
      case .folds: "the tail is moved into the database, and is not emptied yet"
      case .killed: "the process ends, and starts again from the disk"
      }
    }
  }

  /// The third piece is as large as a chunk may be.
  private static let pieces = ["He", "llo", String(repeating: "x", count: 65_536), "\u{301}."].enumerated()
    .map {
      StreamPiece(
        id: "m", conversation: "c", sender: "bob", sequence: Int64($0), text: $1, reasoning: "r\($0)")
    }

  private var buffer = TokenBuffer(conversation: "c", sender: "bob", stored: StreamPrefix())
  private var now = Duration.zero
  private(set) var shown = 0
  /// The number of pieces that are known to be on disk, and the time since when this is fewer than those shown.
  private(set) var acknowledged = 0
  private var behindSince: Duration?
  /// The table of chunks. The first chunk with a number wins, as in SQL.
  private var disk: [TokenBuffer.Chunk] = []
  /// The entries that were appended to the stream log since it was emptied. The database may have them too.
  private var tail: [TokenBuffer.Chunk] = []
  private var writing: (chunk: TokenBuffer.Chunk, isOnDisk: Bool)?

  static func == (left: TokenWorld, right: TokenWorld) -> Bool {
    left.buffer == right.buffer && left.now == right.now && left.shown == right.shown
      && left.behindSince == right.behindSince && left.acknowledged == right.acknowledged
      && left.disk == right.disk && left.tail == right.tail
      && left.writing?.chunk == right.writing?.chunk && left.writing?.isOnDisk == right.writing?.isOnDisk
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(shown)
    hasher.combine(behindSince)
    hasher.combine(acknowledged)
    hasher.combine(disk.count)
    hasher.combine(tail.count)
    hasher.combine(writing?.isOnDisk)
  }

  /// The disk may be behind by 250 ms, or by 64 KB.
  private var due: Duration? {
    let isLarge = Self.join(acknowledged..<shown, \.text).utf8.count >= 65_536
    return behindSince.map { isLarge ? $0 : $0 + .milliseconds(250) }
  }

  private static func join(_ range: Range<Int>, _ part: KeyPath<StreamPiece, String>) -> String {
    pieces[range].map { $0[keyPath: part] }.joined()
  }

  var possibleEvents: [Event] {
    var events = Self.pieces.indices.map(Event.piece) + [.passes, .killed]
    if let due, due > now { events.append(.due) }
    if let writing {
      events += writing.isOnDisk ? [.writeReturns] : [.writeCommits, .writeFails]
    } else if acknowledged < shown {
      events += buffer.mayUseTail ? [.writeBegins, .appends] : [.writeBegins]
    }
    if writing == nil, !tail.isEmpty { events.append(.folds) }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .piece(let number): try receive(number)
    case .passes: now += .milliseconds(100)
    case .due: now = due ?? now
    case .writeBegins:
      guard let chunk = buffer.unsavedChunk else { throw Surprise("there is nothing to write") }
      fold()
      tail = []
      writing = (chunk, false)
    case .writeCommits:
      guard let chunk = writing?.chunk else { break }
      if !disk.contains(where: { $0.firstSequence == chunk.firstSequence }) { disk.append(chunk) }
      writing = (chunk, true)
    case .writeReturns:
      guard let chunk = writing?.chunk else { break }
      acknowledge(chunk)
      writing = nil
    case .writeFails: writing = nil
    case .appends:
      guard let chunk = buffer.unsavedChunk else { throw Surprise("there is nothing to append") }
      tail.append(chunk)
      acknowledge(chunk)
    case .folds: fold()
    case .killed: relaunch()
    }
    try compare()
  }

  private mutating func acknowledge(_ chunk: TokenBuffer.Chunk) {
    buffer.stored(chunk)
    acknowledged = Int(chunk.nextSequence)
    if acknowledged == shown { behindSince = nil }
  }

  /// Checkpoints the stream log. Entries that do not continue from the database's last chunk are stored already.
  private mutating func fold() {
    for chunk in tail where chunk.firstSequence == disk.last?.nextSequence { disk.append(chunk) }
  }

  private mutating func receive(_ number: Int) throws {
    let outcome = buffer.receive(Self.pieces[number], now: now)
    let expected: TokenBuffer.Outcome = number < shown ? .duplicate : number > shown ? .gap : .appended
    try agree("piece \(number)", machine: outcome, model: expected)
    guard number == shown else { return }
    shown += 1
    behindSince = behindSince ?? now
  }

  private mutating func relaunch() {
    fold()
    tail = []
    let stored = StreamPrefix(
      text: disk.map(\.text).joined(), reasoning: disk.map(\.reasoning).joined(),
      nextSequence: disk.last?.nextSequence ?? 0)
    buffer = TokenBuffer(conversation: "c", sender: "bob", stored: stored)
    shown = Int(stored.nextSequence)
    (acknowledged, behindSince, writing) = (shown, nil, nil)
  }

  private func compare() throws {
    try agree("the screen", machine: buffer.text, model: Self.join(0..<shown, \.text))
    try agree("the reasoning", machine: buffer.reasoning, model: Self.join(0..<shown, \.reasoning))
    try agree("the next number", machine: buffer.nextSequence, model: Int64(shown))
    let unsaved = acknowledged..<shown
    let chunk = TokenBuffer.Chunk(
      firstSequence: Int64(acknowledged), nextSequence: Int64(shown), text: Self.join(unsaved, \.text),
      reasoning: Self.join(unsaved, \.reasoning))
    try agree("what is to be written", machine: buffer.unsavedChunk, model: unsaved.isEmpty ? nil : chunk)
    try agree("when", machine: buffer.deadline, model: due)
    // H3: the stored text is a prefix of the message, without gaps, and never less than the text that was reported
    // as stored.
    var next = self
    next.fold()
    let written = Int(next.disk.last?.nextSequence ?? 0)
    try agree("the disk", machine: next.disk.map(\.text).joined(), model: Self.join(0..<written, \.text))
    try require(written >= acknowledged, "what was said to be on disk is there")
  }

  /// The sender begins again from the first piece, as on every new connection.
  mutating func comeToRest() throws {
    if let writing { try take(writing.isOnDisk ? .writeReturns : .writeCommits) }
    if writing != nil { try take(.writeReturns) }
    for number in Self.pieces.indices { try take(.piece(number)) }
    if acknowledged < shown {
      for event in [.writeBegins, .writeCommits, .writeReturns] as [Event] { try take(event) }
    }
    fold()
    try agree(
      "the whole text on disk", machine: disk.map(\.text).joined(),
      model: Self.join(0..<Self.pieces.count, \.text))
  }
}

extension SmallWorlds {
  @Suite struct TokenTests {
    // H3.1, H3.2
    @Test func `every order of 10 events of a message of four pieces`() async {
      let walk = await EveryOrder.walked(from: TokenWorld(), depth: 10)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 234_498_240, "\(walk)")
      #expect(walk.ends.contains { $0.acknowledged == 4 })
    }
  }
}

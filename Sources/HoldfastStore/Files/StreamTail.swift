import Foundation
import HoldfastCore
import HoldfastTransport
import Synchronization

/// The newest words of replies under way: those that the database does not have yet. They are appended to a file beside
/// it, a few hundred bytes at a time, where a commit would write whole pages.
///
/// ```
///   piece ──► screen ── 250 ms ──► tail ── 64 KB, or a reply that is cut off ──► database
/// ```
///
/// A kill of the process loses nothing of the file. A power failure loses what was appended since ``sync()``.
package final class StreamTail: Sendable {
  /// Words of one reply.
  package struct Entry: Equatable, Sendable {
    package var id: MessageID
    package var chunk: TokenBuffer.Chunk

    package init(id: MessageID, chunk: TokenBuffer.Chunk) {
      (self.id, self.chunk) = (id, chunk)
    }
  }

  package static let fileName = "stream-tail"

  /// A place in the tail, up to which it was read.
  struct Mark: Equatable, Sendable {
    /// The length of the whole entries. Behind it may lie a part of one that could not be written.
    var length: Int64
    /// The number of times that the tail was emptied before.
    var turn = 0
  }

  private struct State {
    var file: OpenFile?
    var end: Mark
    var syncs = 0
  }

  private let url: URL
  private let state: Mutex<State>

  package init(in folder: URL) {
    url = folder.appendingPathComponent(Self.fileName)
    let length = (try? FileStatus(of: url).byteCount) ?? 0
    state = Mutex(State(end: Mark(length: length)))
  }

  package var isEmpty: Bool { byteCount == 0 }
  package var byteCount: Int64 { state.withLock { $0.end.length } }
  /// The number of syncs so far.
  package var syncs: Int { state.withLock { $0.syncs } }

  /// Appends entries in one write. They survive the end of the process. They survive a power failure after ``sync()``.
  func append(_ entries: [Entry]) throws(POSIXError) {
    var bytes = Data()
    for entry in entries { entry.write(to: &bytes) }
    try state.withLock { (state) throws(POSIXError) in
      let file = try open(&state)
      // Another process that was launched beside this one has moved the words into the database.
      let length = try file.byteCount()
      if length < state.end.length { state.end = Mark(length: length, turn: state.end.turn + 1) }
      try file.write(bytes, at: state.end.length)
      state.end.length += Int64(bytes.count)
    }
  }

  func sync() throws(POSIXError) {
    try state.withLock { (state) throws(POSIXError) in
      guard let file = state.file else { return }
      try file.sync()
      state.syncs += 1
    }
  }

  /// The whole entries, and how far they reach. What a power failure has torn, and all behind it, is removed.
  func read() throws(POSIXError) -> (entries: [Entry], end: Mark) {
    try state.withLock { (state) throws(POSIXError) in
      guard state.end.length > 0 else { return ([], state.end) }
      let file = try open(&state)
      let (entries, length) = Entry.all(in: try file.read(Int(clamping: state.end.length), at: 0))
      if length < state.end.length { try file.cut(to: length) }
      state.end.length = length
      return (entries, state.end)
    }
  }

  /// The whole entries of a tail that another process may be writing. Nothing changes.
  static func entries(in folder: URL) throws(POSIXError) -> [Entry] {
    let url = folder.appendingPathComponent(fileName)
    guard let status = try? FileStatus(of: url), status.byteCount > 0 else { return [] }
    return Entry.all(in: try OpenFile(reading: url).read(Int(clamping: status.byteCount), at: 0)).entries
  }

  /// Copies the whole entries of a store's tail, durably. Makes no file when there are none.
  static func copy(from store: URL, to folder: URL) throws(POSIXError) {
    let entries = try entries(in: store)
    guard !entries.isEmpty else { return }
    let copy = StreamTail(in: folder)
    try copy.append(entries)
    try copy.sync()
  }

  /// Removes all entries, durably, unless some were appended since `end` was read.
  func clear(upTo end: Mark) throws(POSIXError) {
    try state.withLock { (state) throws(POSIXError) in
      guard state.end == end, end.length > 0 else { return }
      let file = try open(&state)
      try file.cut(to: 0)
      state.end = Mark(length: 0, turn: end.turn + 1)
      try file.sync()
      state.syncs += 1
    }
  }

  /// Closes the file. The next call opens it again.
  func close() { state.withLock { $0.file = nil } }

  private func open(_ state: inout State) throws(POSIXError) -> OpenFile {
    if let file = state.file { return file }
    let file = try OpenFile.goingOn(url)
    // The name of a new file is durable only once its folder is.
    try syncFolder(url.deletingLastPathComponent())
    state.file = file
    return file
  }
}

extension StreamTail.Entry {
  /// The bytes in front of each entry: the length of what follows, and its checksum.
  private static let headBytes = 12

  fileprivate func write(to bytes: inout Data) {
    var body = Data()
    body.append(UInt64(bitPattern: chunk.firstSequence))
    body.append(UInt64(bitPattern: chunk.nextSequence))
    for part in [id.rawValue, chunk.text, chunk.reasoning] {
      body.append(UInt32(part.utf8.count))
      body.append(contentsOf: part.utf8)
    }
    bytes.append(UInt32(body.count))
    bytes.append(Self.checksum(body))
    bytes.append(body)
  }

  /// The entries from the beginning up to the first that is not whole, and their length.
  fileprivate static func all(in bytes: Data) -> (entries: [StreamTail.Entry], length: Int64) {
    var (rest, entries, length) = (bytes, [StreamTail.Entry](), Int64(0))
    while let count: UInt32 = rest.number(), let checksum: UInt64 = rest.number(), rest.count >= count {
      let body = rest.prefix(Int(count))
      guard Self.checksum(body) == checksum, let entry = StreamTail.Entry(body) else { break }
      entries.append(entry)
      rest = rest.dropFirst(Int(count))
      length += Int64(headBytes) + Int64(count)
    }
    return (entries, length)
  }

  private init?(_ body: Data) {
    var rest = body
    guard let first: UInt64 = rest.number(), let next: UInt64 = rest.number(), let id = rest.text(),
      let text = rest.text(), let reasoning = rest.text(), rest.isEmpty
    else {
      return nil
    }
    let (firstSequence, nextSequence) = (Int64(bitPattern: first), Int64(bitPattern: next))
    guard firstSequence >= 0, nextSequence > firstSequence else { return nil }
    self.init(
      id: MessageID(rawValue: id),
      chunk: .init(
        firstSequence: firstSequence, nextSequence: nextSequence, text: text, reasoning: reasoning))
  }

  /// FNV-1a with 64 bits (draft-eastlake-fnv, section 2): it finds what a power failure has torn, and is no protection.
  private static func checksum(_ bytes: Data) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension Data {
  fileprivate mutating func append(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// Takes a number from the front. Nil when there are fewer bytes.
  fileprivate mutating func number<Number: FixedWidthInteger>() -> Number? {
    let size = MemoryLayout<Number>.size
    guard count >= size else { return nil }
    let number = prefix(size).reversed().reduce(Number.zero) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    self = dropFirst(size)
    return number
  }

  /// Takes a text from the front. Nil when there are fewer bytes, or when they are no text.
  fileprivate mutating func text() -> String? {
    guard let length: UInt32 = number(), count >= length else { return nil }
    defer { self = dropFirst(Int(length)) }
    return String(validating: prefix(Int(length)), as: UTF8.self)
  }
}

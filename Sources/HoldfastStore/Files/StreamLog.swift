import Foundation
import HoldfastCore
import HoldfastTransport
import Synchronization

/// A log of streamed text that the database does not have yet. It is append-only, a few hundred bytes at a time,
/// where a commit would write whole pages.
///
/// ```
///   piece ──► screen ── 250 ms ──► log ── 64 KB, or a reply that is cut off ──► database
/// ```
///
/// A kill of the process loses nothing of the file. A power failure loses what was appended since ``sync()``.
///
/// Several processes may have the file open, although a shared store has no log: an app that opened its store before
/// another process shared it, or a second launch. Every change of the file is made under its lock, which ends with
/// the process, and starts from the file's present contents. Cached positions never decide what is overwritten or
/// removed.
package final class StreamLog: Sendable {
  /// Text of one reply.
  package struct Entry: Equatable, Sendable {
    package var id: MessageID
    package var chunk: TokenBuffer.Chunk

    package init(id: MessageID, chunk: TokenBuffer.Chunk) {
      (self.id, self.chunk) = (id, chunk)
    }
  }

  package static let fileName = "stream-tail"

  private struct State {
    var file: OpenFile?
    /// The start of the entries that were appended last. It saves reading the file from its beginning, and is only a
    /// hint: another process may have emptied the file since.
    var last: Int64 = 0
    var syncs = 0
  }

  private let url: URL
  private let state = Mutex(State())

  package init(in folder: URL) { url = folder.appendingPathComponent(Self.fileName) }

  package var isEmpty: Bool { byteCount == 0 }
  /// The length of the file, including other processes' entries. Costs one `stat`, and does not wait for the lock.
  package var byteCount: Int64 { (try? FileStatus(of: url).byteCount) ?? 0 }
  /// The number of syncs so far.
  package var syncs: Int { state.withLock { $0.syncs } }

  /// Appends entries in one write. They survive the end of the process at once, and a power failure after
  /// ``sync()``. Waits while another process appends, or moves entries into the database.
  func append(_ entries: [Entry]) throws(POSIXError) {
    var bytes = Data()
    for entry in entries { entry.write(to: &bytes) }
    try state.withLock { (state) throws(POSIXError) in
      let file = try open(&state)
      try file.waitForLock()
      defer { file.unlock() }
      let end = try Self.end(of: file, from: state.last)
      do throws(POSIXError) {
        try file.write(bytes, at: end)
      } catch {
        // The next attempt repeats this text and adds to it. Behind a torn entry it would be skipped.
        try? file.cut(to: end)
        throw error
      }
      state.last = end
    }
  }

  func sync() throws(POSIXError) {
    try state.withLock { (state) throws(POSIXError) in
      guard let file = state.file else { return }
      try file.sync()
      state.syncs += 1
    }
  }

  /// Passes the complete entries to `move`, and removes them durably once it returns. A torn entry, and everything
  /// after it, is removed too. Does nothing when the file is empty.
  ///
  /// The lock is held meanwhile. Entries that another process appends are passed to `move`, or come after the
  /// removal. If `move` throws, or the process ends, the entries are kept and passed again: `move` must be
  /// idempotent.
  ///
  /// The lock is taken before that of the database. Do not call this in a transaction, or in `move`.
  func drain(_ move: ([Entry]) throws -> Void) throws {
    try state.withLock { (state) throws in
      guard !isEmpty else { return }
      let file = try open(&state)
      try file.waitForLock()
      defer { file.unlock() }
      let length = try file.byteCount()
      guard length > 0 else { return }
      let entries = Entry.all(in: try file.read(Int(clamping: length), at: 0)).entries
      if !entries.isEmpty { try move(entries) }
      try file.cut(to: 0)
      state.last = 0
      try file.sync()
      state.syncs += 1
    }
  }

  /// The complete entries. The file is unchanged, and no lock is waited for: another process may append or remove
  /// entries meanwhile.
  ///
  /// Text that is gone from here is in the database. Read this before the database, or in a write transaction: no
  /// other process can commit during one.
  func entries() throws(POSIXError) -> [Entry] { try Self.entries(of: url) }

  /// The complete entries of the log in a folder, as ``entries()``.
  static func entries(in folder: URL) throws(POSIXError) -> [Entry] {
    try entries(of: folder.appendingPathComponent(fileName))
  }

  private static func entries(of url: URL) throws(POSIXError) -> [Entry] {
    guard let status = try? FileStatus(of: url), status.byteCount > 0 else { return [] }
    return Entry.all(in: try OpenFile(reading: url).read(Int(clamping: status.byteCount), at: 0)).entries
  }

  /// Copies the complete entries of a store's log, durably. Makes no file when there are none.
  static func copy(from store: URL, to folder: URL) throws(POSIXError) {
    let entries = try entries(in: store)
    guard !entries.isEmpty else { return }
    let copy = StreamLog(in: folder)
    try copy.append(entries)
    try copy.sync()
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

  /// The position after the last complete entry. A partial entry after it is removed, because readers stop there:
  /// its process ended during the write, or ran out of space. The caller holds the lock.
  ///
  /// - Parameter last: a position where entries probably begin. If all entries from there to the end are complete,
  ///   so are those before it, because nothing is appended after a partial entry.
  private static func end(of file: OpenFile, from last: Int64) throws(POSIXError) -> Int64 {
    let length = try file.byteCount()
    let starts: [Int64] = last < length ? [last, 0] : [0]
    for start in starts {
      let bytes = try file.read(Int(clamping: length - start), at: start)
      let end = start + Entry.all(in: bytes).length
      if end == length { return end }
      guard start == 0 else { continue }
      try file.cut(to: end)
      return end
    }
    return 0
  }
}

extension StreamLog.Entry {
  /// The size of an entry's header: the length of the body, and its checksum.
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

  /// The entries up to the first incomplete one, and their length in bytes.
  fileprivate static func all(in bytes: Data) -> (entries: [StreamLog.Entry], length: Int64) {
    var (rest, entries, length) = (bytes, [StreamLog.Entry](), Int64(0))
    while let count: UInt32 = rest.number(), let checksum: UInt64 = rest.number(), rest.count >= count {
      let body = rest.prefix(Int(count))
      guard Self.checksum(body) == checksum, let entry = StreamLog.Entry(body) else { break }
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

  /// FNV-1a with 64 bits (draft-eastlake-fnv, section 2). It detects torn writes, and is no protection against
  /// tampering.
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

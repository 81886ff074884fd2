import Foundation
import HoldfastCore
import HoldfastStore

/// One page of a table or an index, as far as it is readable (https://www.sqlite.org/fileformat2.html, section 1.6).
struct BTreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    var headerBytes: Int { isInterior ? 12 : 8 }
  }

  let kind: Kind
  let number: Int
  private let bytes: [UInt8]
  private let cells: [Int]

  /// Nil when the page belongs to neither a table nor an index.
  init?(_ number: Int, of image: PageImage) {
    guard let bytes = image.page(number) else { return nil }
    // The database header takes the start of the first page.
    let start = number == 1 ? 100 : 0
    guard let kind = Kind(rawValue: bytes[start]) else { return nil }
    let header = start + kind.headerBytes
    let count = bytes.bigEndian16(at: start + 3)
    guard header + 2 * count <= bytes.count else { return nil }
    self.kind = kind
    self.number = number
    self.bytes = bytes
    cells = (0..<count).map { bytes.bigEndian16(at: header + 2 * $0) }
    rightmost = kind.isInterior ? bytes.bigEndian32(at: start + 8) : nil
  }

  private let rightmost: Int?

  /// The child pages, in order. Empty for a leaf.
  var children: [Int] {
    guard let rightmost else { return [] }
    return cells.compactMap { $0 + 4 <= bytes.count ? bytes.bigEndian32(at: $0) : nil } + [rightmost]
  }

  /// The rows that begin on this page. Nil in place of each row that cannot be read.
  func rows(_ image: PageImage) -> [SalvagedRow?] {
    guard kind != .tableInterior else { return [] }
    return cells.map { row(at: $0, image) }
  }

  private func row(at start: Int, _ image: PageImage) -> SalvagedRow? {
    var place = start + (kind == .indexInterior ? 4 : 0)
    guard let count = bytes.varint(at: &place), count >= 0 else { return nil }
    var rowid: Int64?
    if kind == .tableLeaf {
      guard let value = bytes.varint(at: &place) else { return nil }
      rowid = value
    }
    guard let (payload, pages) = payload(Int(clamping: count), at: place, image) else { return nil }
    return SalvagedRow(rowid: rowid, record: payload, pages: [number] + pages)
  }

  /// A row's bytes, from this page and its overflow pages, and the numbers of the overflow pages. Nil when they
  /// cannot be read.
  private func payload(_ count: Int, at place: Int, _ image: PageImage) -> ([UInt8], [Int])? {
    let usable = bytes.count
    guard count <= image.pageCount * usable else { return nil }
    let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (count - least) % (usable - 4)
    let local = count <= most ? count : fitting <= most ? fitting : least
    guard local >= 0, place + local + (count > local ? 4 : 0) <= usable else { return nil }
    var payload = Array(bytes[place..<place + local])
    guard count > local else { return (payload, []) }
    var (next, pages) = (bytes.bigEndian32(at: place + local), [Int]())
    while payload.count < count {
      // A cyclic chain ends here too: it would have more pages than the database.
      guard let page = image.page(next), pages.count <= image.pageCount else { return nil }
      pages.append(next)
      payload += page[4..<min(usable, 4 + count - payload.count)]
      next = page.bigEndian32(at: 0)
    }
    return (payload, pages)
  }
}

extension SalvagedRow {
  /// Nil when the record cannot be decoded (https://www.sqlite.org/fileformat2.html, section 2.1).
  package init?(rowid: Int64?, record: [UInt8], pages: [Int]) {
    var place = 0
    guard let header = record.varint(at: &place), header >= place, header <= record.count else { return nil }
    var body = Int(header)
    var values: [SalvagedValue] = []
    while place < header {
      guard let type = record.varint(at: &place), place <= header,
        let value = Self.value(of: type, record, at: &body)
      else { return nil }
      values.append(value)
    }
    // A header that does not account for every byte is a sign of damage.
    guard body == record.count, !values.isEmpty else { return nil }
    self.init(rowid: rowid, values: values, pages: pages)
  }

  package static func value(of type: Int64, _ record: [UInt8], at place: inout Int) -> SalvagedValue? {
    switch type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...6:
      let count = type <= 4 ? Int(type) : type == 5 ? 6 : 8
      guard place + count <= record.count else { return nil }
      var value: Int64 = record[place] >= 0x80 ? -1 : 0
      for byte in record[place..<place + count] { value = value << 8 | Int64(byte) }
      place += count
      return .integer(value)
    case 7:
      guard place + 8 <= record.count else { return nil }
      let bits = record[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      place += 8
      return .real(Double(bitPattern: bits))
    case 12...:
      let count = Int(clamping: (type - 12) / 2)
      guard count <= record.count - place else { return nil }
      let bytes = record[place..<place + count]
      place += count
      return type % 2 == 0 ? .blob(Data(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }
}

extension [UInt8] {
  fileprivate func bigEndian16(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
  fileprivate func bigEndian32(at place: Int) -> Int {
    bigEndian16(at: place) << 16 | bigEndian16(at: place + 2)
  }

  /// Reads a variable-length integer and moves `place` past it. Nil when the bytes end.
  fileprivate func varint(at place: inout Int) -> Int64? {
    var value: UInt64 = 0
    for number in 0..<9 {
      guard place < count else { return nil }
      let byte = self[place]
      place += 1
      // The ninth byte carries eight bits of the value, the others seven.
      if number == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }
}

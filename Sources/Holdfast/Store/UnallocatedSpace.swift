import Foundation
import GRDB

/// Where the pages of an open database have nothing, between the places of a page's cells and the cells
/// (<https://www.sqlite.org/fileformat2.html>, section 1.6).
struct UnallocatedSpace {
  private let file: DatabaseFile
  private let layout: PageLayout
  let pageCount: Int

  /// From this number of pages on, 128 GB with pages of 4096 bytes, a page on which a long text goes on may begin like one
  /// that has cells.
  private static let maximumPageCount = 1 << 25
  private static let pagesInMemory = 64

  init(of db: Database) throws {
    pageCount = try db.row("PRAGMA page_count")![0]
    guard pageCount < Self.maximumPageCount else {
      throw ChatError(.storageFailed, "The store is too long for what was deleted to be cleared from it.")
    }
    let file = try DatabaseFile(of: db)
    self.file = file
    var header = [UInt8](repeating: 0, count: PageLayout.headerBytes)
    try header.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    let vacuum: Int = try db.row("PRAGMA auto_vacuum")![0]
    layout = PageLayout(
      pageSize: try db.row("PRAGMA page_size")![0], reservedBytes: Int(header[20]),
      hasPointerMaps: vacuum != 0)
  }

  /// Fills it with zeros on these pages; when it returns, they are on the disk. The file's last version is to be in the
  /// file, and nobody else may write to it meanwhile.
  func clear(_ pages: Range<Int>) throws {
    var hasWritten = false
    let size = layout.pageSize
    let zeros = [UInt8](repeating: 0, count: size)
    var bytes = [UInt8](repeating: 0, count: Self.pagesInMemory * size)
    for first in stride(from: pages.lowerBound, to: pages.upperBound, by: Self.pagesInMemory) {
      let numbers = first..<min(pages.upperBound, first + Self.pagesInMemory)
      try bytes.withUnsafeMutableBytes { bytes in
        let read = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(numbers.count * size)])
        try file.read(into: read, at: Int64(first - 1) * Int64(size))
        for number in numbers {
          let place = (number - first) * size
          let page = UnsafeRawBufferPointer(rebasing: bytes[place..<place + size])
          guard let range = layout.unallocatedRange(on: page, number: number), !range.isEmpty else {
            continue
          }
          try zeros.withUnsafeBytes { zeros in
            let isClear = memcmp(page.baseAddress! + range.lowerBound, zeros.baseAddress!, range.count) == 0
            guard !isClear, layout.isSound(page, number: number, unallocated: range) else { return }
            hasWritten = true
            try file.write(
              UnsafeRawBufferPointer(rebasing: zeros[..<range.count]),
              at: Int64(number - 1) * Int64(size) + Int64(range.lowerBound))
          }
        }
      }
    }
    if hasWritten { try file.sync() }
  }
}

/// How the pages of one database are laid out.
struct PageLayout {
  /// Of the database, at the beginning of its first page (section 1.3).
  static let headerBytes = 100

  let pageSize: Int
  /// At the end of each page, which SQLite leaves alone.
  var reservedBytes = 0
  /// The file has pages that tell what the others are, at fixed places.
  var hasPointerMaps = false

  private var usableSize: Int { pageSize - reservedBytes }

  /// Where nothing is on a page. Nil when it is of another kind, or makes no sense.
  func unallocatedRange(on page: UnsafeRawBufferPointer, number: Int) -> Range<Int>? {
    let start = number == 1 ? Self.headerBytes : 0
    guard !isPointerMap(number), let kind = BTreePage.Kind(rawValue: page[start]) else { return nil }
    let end = start + kind.headerBytes + 2 * page.bigEndian16(at: start + 3)
    // 65536 does not fit into two bytes.
    let stored = page.bigEndian16(at: start + 5)
    let content = stored == 0 ? 65536 : stored
    return end <= content && content <= usableSize ? end..<content : nil
  }

  /// Whether no cell, and no free bytes between the cells, are where nothing should be: what is damaged is left as it is,
  /// for salvage.
  func isSound(_ page: UnsafeRawBufferPointer, number: Int, unallocated range: Range<Int>) -> Bool {
    let start = number == 1 ? Self.headerBytes : 0
    let firstFree = page.bigEndian16(at: start + 1)
    let count = page.bigEndian16(at: start + 3)
    return (firstFree == 0 || firstFree >= range.upperBound)
      && (0..<count).allSatisfy {
        page.bigEndian16(at: range.lowerBound - 2 * count + 2 * $0) >= range.upperBound
      }
  }

  /// Section 1.8: the second page, and each behind as many as it has entries of five bytes for. The one with the byte at
  /// 1 GB, which locks are on, is never used, and the next one is in its place.
  func isPointerMap(_ number: Int) -> Bool {
    guard hasPointerMaps, number >= 2 else { return false }
    let distance = usableSize / 5 + 1
    let locked = 0x4000_0000 / pageSize + 1
    let place = (number - 2) / distance * distance + 2
    return number == (place == locked ? place + 1 : place)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func bigEndian16(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
}

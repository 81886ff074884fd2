import Foundation
import HoldfastCore
import HoldfastStore

/// The pages of a database file, as bytes, overlaid with the pages of its journal. SQLite refuses a damaged file as
/// a whole, although most of its pages are intact (https://www.sqlite.org/fileformat2.html). Nothing here trusts the
/// bytes that it reads.
package struct PageImage {
  let pageSize: Int
  /// The unused bytes at the end of each page. Databases made by other programs may have them.
  private let reservedBytes: Int
  /// The number of pages. Pages are numbered from 1.
  package let pageCount: Int
  private let database: Data
  private let journal: Data
  /// The offset in the journal of each page's newest version, by page number.
  private let places: [Int: Int]

  /// Reads the files. No process may be writing them.
  package init(database file: URL, journal: URL) throws {
    let database = try Data(contentsOf: file, options: .mappedIfSafe)
    let journal = (try? Data(contentsOf: journal, options: .mappedIfSafe)) ?? Data()
    self.init(database: database, journal: journal)
  }

  init(database: Data, journal: Data) {
    let sizes = [
      database.count >= 100 ? Self.pageSize(UInt32(database.bigEndian16(at: 16))) : nil,
      journal.count >= 32 ? Self.pageSize(journal.bigEndian32(at: 8)) : nil,
      // The page size of every store, which is SQLite's default.
      4096,
    ]
    let reserves = Set([database.count >= 100 ? Int(database[20]) : 0, 0])
    let images = Set(sizes.compactMap { $0 }).sorted().flatMap { size in
      // SQLite needs at least 480 bytes of each page (section 1.3.4).
      reserves.filter { size - $0 >= 480 }.sorted().map {
        PageImage(database: database, journal: journal, pageSize: size, reservedBytes: $0)
      }
    }
    // When the two headers and the default disagree, the image with the most readable rows wins.
    self = images.count == 1 ? images[0] : images.max { $0.readableRows < $1.readableRows } ?? images[0]
  }

  private var readableRows: Int {
    (1...max(1, pageCount)).reduce(0) { count, number in
      count + (BTreePage(number, of: self)?.rows(self).count { $0 != nil } ?? 0)
    }
  }

  private init(database: Data, journal: Data, pageSize: Int, reservedBytes: Int) {
    self.database = database
    self.journal = journal
    self.pageSize = pageSize
    self.reservedBytes = reservedBytes
    let frames = JournalFrames(journal, pageSize: pageSize)
    places = frames.places
    // A damaged frame may contain any page number, so the number of pages is limited by the number of bytes.
    let most = database.count / pageSize + places.count
    pageCount = min(most, max(database.count / pageSize, frames.pageCount(atMost: most)))
  }

  /// The bytes of a page that SQLite uses. Nil when the files do not have the page.
  package func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= pageCount else { return nil }
    let count = pageSize - reservedBytes
    if let place = places[number] { return Array(journal[place..<place + count]) }
    let start = (number - 1) * pageSize
    guard start + pageSize <= database.count else { return nil }
    return Array(database[start..<start + count])
  }

  private static func pageSize(_ stored: UInt32) -> Int? {
    // 65536 does not fit into two bytes and is stored as 1.
    let size = stored == 1 ? 65536 : Int(stored)
    return size >= 512 && size <= 65536 && size & (size - 1) == 0 ? size : nil
  }
}

/// The journal's committed frames. A frame with a wrong checksum still counts: most of it is intact, and an older
/// version of the page lacks the user's last changes.
private struct JournalFrames {
  var places: [Int: Int] = [:]
  /// The database's number of pages after each commit.
  private var pageCounts: Set<Int> = []

  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  init(_ journal: Data, pageSize: Int) {
    let frameBytes = Self.frameHeaderBytes + pageSize
    let starts = Array(stride(from: Self.headerBytes, through: journal.count - frameBytes, by: frameBytes))
    guard let salt = Self.salt(of: journal, starts) else { return }
    var uncommitted: [Int: Int] = [:]
    for start in starts where journal.bigEndian64(at: start + 8) == salt {
      let number = Int(journal.bigEndian32(at: start))
      let count = Int(journal.bigEndian32(at: start + 4))
      // No database has page numbers this large (2 TB of pages).
      guard number >= 1, number < 1 << 29 else { continue }
      uncommitted[number] = start + Self.frameHeaderBytes
      guard count > 0, count < 1 << 29 else { continue }
      places.merge(uncommitted) { _, newer in newer }
      uncommitted = [:]
      pageCounts.insert(count)
    }
  }

  func pageCount(atMost most: Int) -> Int { pageCounts.filter { $0 <= most }.max() ?? 0 }

  /// The salt that the journal's header shares with its current frames. Frames from before the journal was restarted
  /// have another salt.
  private static func salt(of journal: Data, _ starts: [Int]) -> UInt64? {
    guard journal.count >= headerBytes else { return nil }
    let header = journal.bigEndian64(at: 16)
    let first = starts.prefix(2).map { journal.bigEndian64(at: $0 + 8) }
    // Two frames that agree count more than a header that may be damaged.
    if first.count == 2, first[0] == first[1] { return first[0] }
    return header
  }
}

extension Data {
  fileprivate func bigEndian16(at place: Int) -> UInt16 { UInt16(self[place]) << 8 | UInt16(self[place + 1]) }
  fileprivate func bigEndian32(at place: Int) -> UInt32 {
    UInt32(bigEndian16(at: place)) << 16 | UInt32(bigEndian16(at: place + 2))
  }
  fileprivate func bigEndian64(at place: Int) -> UInt64 {
    UInt64(bigEndian32(at: place)) << 32 | UInt64(bigEndian32(at: place + 4))
  }
}

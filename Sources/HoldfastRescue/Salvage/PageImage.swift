import Foundation
import HoldfastCore
import HoldfastStore

/// The pages of a database file, with those of its journal laid over them, as bytes: SQLite refuses a damaged file as a
/// whole, and most of its pages are whole (https://www.sqlite.org/fileformat2.html). Nothing here believes what it
/// reads.
struct PageImage {
  let pageSize: Int
  /// At the end of each page, where nothing of SQLite's is: other programs make databases that have such bytes.
  private let reservedBytes: Int
  /// Pages are numbered from 1.
  let pageCount: Int
  private let database: Data
  private let journal: Data
  /// Where the newest version of a page is in the journal.
  private let places: [Int: Int]

  /// Reads files that nobody writes.
  init(database file: URL, journal: URL) throws {
    let database = try Data(contentsOf: file, options: .mappedIfSafe)
    let journal = (try? Data(contentsOf: journal, options: .mappedIfSafe)) ?? Data()
    self.init(database: database, journal: journal)
  }

  init(database: Data, journal: Data) {
    let sizes = [
      database.count >= 100 ? Self.pageSize(UInt32(database.bigEndian16(at: 16))) : nil,
      journal.count >= 32 ? Self.pageSize(journal.bigEndian32(at: 8)) : nil,
      // What all stores have that were made with SQLite's default.
      4096,
    ]
    let reserves = Set([database.count >= 100 ? Int(database[20]) : 0, 0])
    let images = Set(sizes.compactMap { $0 }).sorted().flatMap { size in
      // SQLite wants 480 bytes of each page at least (section 1.3.4).
      reserves.filter { size - $0 >= 480 }.sorted().map {
        PageImage(database: database, journal: journal, pageSize: size, reservedBytes: $0)
      }
    }
    // Where the two headers and the default disagree, the pages tell.
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
    // A number that a damaged frame names may be any: there are no more pages than bytes for them.
    let most = database.count / pageSize + places.count
    pageCount = min(most, max(database.count / pageSize, frames.pageCount(atMost: most)))
  }

  /// What SQLite uses of a page.
  func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= pageCount else { return nil }
    let count = pageSize - reservedBytes
    if let place = places[number] { return Array(journal[place..<place + count]) }
    let start = (number - 1) * pageSize
    guard start + pageSize <= database.count else { return nil }
    return Array(database[start..<start + count])
  }

  private static func pageSize(_ stored: UInt32) -> Int? {
    // 65536 does not fit into two bytes, and is stored as 1.
    let size = stored == 1 ? 65536 : Int(stored)
    return size >= 512 && size <= 65536 && size & (size - 1) == 0 ? size : nil
  }
}

/// The journal's committed frames. A frame whose bytes have changed still counts: most of it is whole, and what is older
/// is not what its user wrote last.
private struct JournalFrames {
  var places: [Int: Int] = [:]
  /// How many pages the database had with each commit.
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
      // 2 TB of pages: a number beyond is none.
      guard number >= 1, number < 1 << 29 else { continue }
      uncommitted[number] = start + Self.frameHeaderBytes
      guard count > 0, count < 1 << 29 else { continue }
      places.merge(uncommitted) { _, newer in newer }
      uncommitted = [:]
      pageCounts.insert(count)
    }
  }

  func pageCount(atMost most: Int) -> Int { pageCounts.filter { $0 <= most }.max() ?? 0 }

  /// What the journal's frames have in common with its header; older ones, from before it was begun anew, have another.
  private static func salt(of journal: Data, _ starts: [Int]) -> UInt64? {
    guard journal.count >= headerBytes else { return nil }
    let header = journal.bigEndian64(at: 16)
    let first = starts.prefix(2).map { journal.bigEndian64(at: $0 + 8) }
    // Its header is damaged.
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

import Foundation
import Testing

@testable import Holdfast

/// Where a page has nothing (<https://www.sqlite.org/fileformat2.html>, sections 1.6 and 1.8).
@Suite struct PageLayoutTests {
  /// A page with cells at these places.
  private func page(
    kind: BTreePage.Kind = .tableLeaf, cells: [Int], content: Int, firstFree: Int = 0, size: Int = 512,
    at start: Int = 0
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: size)
    func put(_ value: Int, _ place: Int) {
      bytes[place] = UInt8(value >> 8 & 0xFF)
      bytes[place + 1] = UInt8(value & 0xFF)
    }
    bytes[start] = kind.rawValue
    put(firstFree, start + 1)
    put(cells.count, start + 3)
    put(content, start + 5)
    for (number, cell) in cells.enumerated() { put(cell, start + kind.headerBytes + 2 * number) }
    return bytes
  }

  private func range(_ page: [UInt8], number: Int = 3, _ layout: PageLayout = PageLayout(pageSize: 512))
    -> Range<Int>?
  {
    page.withUnsafeBytes { page in
      layout.unallocatedRange(on: page, number: number).flatMap {
        layout.isSound(page, number: number, unallocated: $0) ? $0 : nil
      }
    }
  }

  @Test func `nothing is between the places of the cells and the first of them`() {
    #expect(range(page(cells: [500, 480], content: 480)) == 12..<480)
    #expect(range(page(kind: .indexLeaf, cells: [], content: 512)) == 8..<512)
    #expect(range(page(kind: .tableInterior, cells: [500], content: 490, firstFree: 490)) == 14..<490)
    #expect(range(page(kind: .indexInterior, cells: [20], content: 14)) == 14..<14)
    #expect(range(page(cells: [400], content: 400, at: 100), number: 1) == 110..<400)
  }

  @Test func `a page of another kind, or one that makes no sense, is left alone`() {
    #expect(range([UInt8](repeating: 0, count: 512)) == nil)
    #expect(range([UInt8](repeating: 7, count: 512)) == nil)
    // A cell, or free bytes, where nothing should be.
    #expect(range(page(cells: [500, 300], content: 480)) == nil)
    #expect(range(page(cells: [500], content: 480, firstFree: 200)) == nil)
    // More places than fit, and content behind the end.
    #expect(range(page(cells: [500, 500, 500], content: 13)) == nil)
    #expect(range(page(cells: [], content: 513)) == nil)
    #expect(range(page(cells: [], content: 512), PageLayout(pageSize: 512, reservedBytes: 12)) == nil)
    #expect(range(page(cells: [], content: 500), PageLayout(pageSize: 512, reservedBytes: 12)) == 8..<500)
  }

  @Test func `pages that tell what others are begin like tables, and are told by their numbers`() {
    let layout = PageLayout(pageSize: 512, hasPointerMaps: true)
    // 102 entries of five bytes, for the 102 pages behind it.
    #expect((1...320).filter(layout.isPointerMap) == [2, 105, 208, 311])
    #expect(range(page(kind: .tableInterior, cells: [], content: 512), number: 105, layout) == nil)
    #expect(range(page(kind: .tableInterior, cells: [], content: 512), number: 106, layout) == 12..<512)
    #expect(!PageLayout(pageSize: 512).isPointerMap(105))
    // The byte at 1 GB would be on one.
    let moved = PageLayout(pageSize: 1024, hasPointerMaps: true)
    let locked = 0x4000_0000 / 1024 + 1
    #expect(!moved.isPointerMap(locked))
    #expect(moved.isPointerMap(locked + 1))
    #expect(moved.isPointerMap(locked + 205))
  }
}

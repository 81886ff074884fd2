import HoldfastCore
import HoldfastStore

/// The pages of a damaged database that hold each table's rows. When a page on the path is damaged, or refers to a
/// wrong page, rows are recognized by their shape.
struct SalvagedTables: SalvageSource {
  private(set) var unreadablePages: [String: Int] = [:]

  private let image: PageImage
  private let shapes: [TableShape]
  /// The pages that can be reached from each table's root.
  private var pages: [String: [Int]] = [:]
  /// Pages with rows that belong to a table only by their shape.
  private var strayPages: [String: [Int]] = [:]
  private var visited: Set<Int> = []

  /// - Parameter shapes: the tables to read. Rows of other tables are skipped.
  init(_ image: PageImage, _ shapes: [TableShape]) {
    self.image = image
    self.shapes = shapes
    let roots = findRoots()
    // A deterministic order.
    for (table, root) in roots.tables.sorted(by: { $0.key < $1.key }) { walk(root, as: table) }
    for root in roots.indexes.sorted() { walk(root, as: nil) }
    findStrayRows()
  }

  /// The identifiers of the database's migrations. Empty when they cannot be read.
  static func migrations(in image: PageImage) -> Set<String> {
    let shape = TableShape(
      name: "grdb_migrations",
      columns: [.init(name: "identifier", type: "TEXT", isRequired: true, isRowID: false)],
      hasRowID: true)
    var identifiers: Set<String> = []
    SalvagedTables(image, [shape]).forEachRow(of: shape, eachPage: {}) { row, isStray in
      if let row, !isStray, let identifier = row.values[0].text {
        identifiers.insert(identifier)
      }
    }
    return identifiers
  }

  var pageSize: Int { image.pageSize }

  func isMissing(_ table: String) -> Bool { pages[table] == nil }

  var pageTotal: Int {
    shapes.reduce(0) { $0 + (pages[$1.name]?.count ?? 0) + (strayPages[$1.name]?.count ?? 0) }
  }

  func forEachRow(
    of shape: TableShape, eachPage: () -> Void,
    _ body: (_ row: SalvagedRow?, _ isStray: Bool) throws -> Void
  ) rethrows {
    for number in pages[shape.name] ?? [] {
      eachPage()
      guard let page = BTreePage(number, of: image) else { continue }
      for row in page.rows(image) {
        if let row, !shape.fits(row), owner(of: row) != nil { continue }
        try body(row.flatMap { shape.fits($0) ? $0 : nil }, false)
      }
    }
    for number in strayPages[shape.name] ?? [] {
      eachPage()
      guard let page = BTreePage(number, of: image) else { continue }
      for case let row? in page.rows(image) where owner(of: row) == shape.name { try body(row, true) }
    }
  }

  private mutating func findStrayRows() {
    var owners: [Int: String] = [:]
    for (table, numbers) in pages { for number in numbers { owners[number] = table } }
    guard image.pageCount > 0 else { return }
    for number in 1...image.pageCount where owners[number] != nil || !visited.contains(number) {
      guard let page = BTreePage(number, of: image), page.kind == .tableLeaf || page.kind == .indexLeaf else {
        continue
      }
      let table = owners[number]
      let shape = shapes.first { $0.name == table }
      // The page belongs to a table that is not read: there is no shape to compare its rows with.
      guard table == nil || shape != nil else { continue }
      var strays: Set<String> = []
      for case let row? in page.rows(image) where shape?.fits(row) != true {
        if let owner = owner(of: row), owner != table { strays.insert(owner) }
      }
      for stray in strays { strayPages[stray, default: []].append(number) }
    }
  }

  /// The table with the unique shape that a row fits. Nil when there is no such table.
  func owner(of row: SalvagedRow) -> String? {
    shapes.first { $0.isUnique && $0.fits(row) }?.name
  }

  private mutating func findRoots() -> (tables: [String: Int], indexes: Set<Int>) {
    walk(1, as: "sqlite_schema")
    // Most of the schema is on other pages. When the first page is damaged, they are found by the shape of their
    // rows.
    var schema = pages["sqlite_schema"] ?? []
    if image.pageCount > 1 {
      for number in 2...image.pageCount where !visited.contains(number) {
        guard let page = BTreePage(number, of: image), page.kind == .tableLeaf,
          page.rows(image).contains(where: { $0.map(Self.isSchema) ?? false })
        else { continue }
        visited.insert(number)
        schema.append(number)
      }
    }
    var (tables, indexes): ([String: Int], Set<Int>) = ([:], [])
    for page in schema.compactMap({ BTreePage($0, of: image) }) {
      for case let row? in page.rows(image) where Self.isSchema(row) {
        guard let name = row.values[1].text,
          let root = row.values[3].integer.map(Int.init(clamping:)),
          root > 0
        else { continue }
        if row.values[0].text == "table" {
          tables[name] = root
        } else {
          indexes.insert(root)
        }
      }
    }
    return (tables, indexes)
  }

  private static func isSchema(_ row: SalvagedRow) -> Bool {
    guard row.rowid != nil, row.values.count == 5, let type = row.values[0].text,
      row.values[3].integer != nil, row.values[1].text != nil
    else { return false }
    return ["table", "index", "trigger", "view"].contains(type)
  }

  /// Notes the pages of a tree. Each page is visited once, because a damaged page may refer to any page, even to
  /// itself. All pages of a tree belong to a table, or all belong to an index.
  private mutating func walk(_ root: Int, as table: String?) {
    var open = [root]
    var isTable: Bool?
    while let number = open.popLast() {
      guard !visited.contains(number) else { continue }
      guard let page = BTreePage(number, of: image), isTable == nil || page.isOfTable == isTable,
        table != nil || !page.isOfTable
      else {
        if let table { unreadablePages[table, default: 0] += 1 }
        continue
      }
      isTable = page.isOfTable
      visited.insert(number)
      if let table { pages[table, default: []].append(number) }
      open += page.children.reversed()
    }
  }
}

extension BTreePage {
  fileprivate var isOfTable: Bool { kind == .tableLeaf || kind == .tableInterior }
}

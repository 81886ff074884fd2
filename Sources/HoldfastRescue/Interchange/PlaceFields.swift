import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The place of a window, as apps store it in their user defaults under `appRestorationState` (rule R6).
struct PlaceFields {
  /// The keys that only a place has.
  static let recognized: Set = [
    "selectedProjectPath", "selectedProjectId", "selectedProjectID", "selectedSessionId", "selectedSessionID",
    "selectedConversationId", "selectedConversationID", "activeSheet", "presentedSheet",
    "scrollOffsetsByProject",
    "scrollOffsets",
  ]
  private static let largestSheet = 256 << 10

  var project: String?
  var conversation: ConversationID?
  /// The sheet, as the app wrote it.
  var sheet: Data?
  var sheetAt: Int64 = 0
  var scroll = ScrollPositions()

  /// Reads a place from the beginning of a file.
  init(_ start: JSONCursor) throws {
    var cursor = start
    try cursor.skipMark()
    try cursor.expect(.openObject)
    var isFirst = true
    while let key = try cursor.nextKey(isFirst: isFirst) {
      isFirst = false
      switch key {
      case "selectedProjectPath", "selectedProjectId", "selectedProjectID", "selectedProject":
        project = (try cursor.value() as String?) ?? project
      case "selectedSessionId", "selectedSessionID", "selectedSession", "selectedConversationId",
        "selectedConversationID":
        conversation = try cursor.id().map(ConversationID.init(rawValue:)) ?? conversation
      case "activeSheet", "presentedSheet": try readSheet(&cursor)
      case "scrollOffsetsByProject", "scrollOffsets", "scrollOffset": try readOffsets(key, &cursor)
      default: try cursor.skip()
      }
    }
  }

  private mutating func readSheet(_ cursor: inout JSONCursor) throws {
    _ = try cursor.peekValue()
    let offset = cursor.offset
    // A sheet that is too large is passed on as empty data, which the app's type refuses.
    var bytes = Data()
    do { bytes = try cursor.cut(atMost: Self.largestSheet) } catch JSONDamage.tooLarge {} catch JSONDamage
      .tooDeep
    {}
    if bytes != Data("null".utf8) { (sheet, sheetAt) = (bytes, offset) }
  }

  /// One offset, or one for each list.
  private mutating func readOffsets(_ key: String, _ cursor: inout JSONCursor) throws {
    let data = try cursor.cutHead()
    if let one = try? JSONDecoder().decode(Double.self, from: data) { scroll[list: key] = one }
    guard let offsets = try? JSONDecoder().decode([String: Double].self, from: data) else { return }
    for (list, offset) in offsets.sorted(by: { $0.key < $1.key }) { scroll[list: list] = offset }
  }
}

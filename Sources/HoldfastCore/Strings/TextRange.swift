/// A range in UTF-16 code units, from `start` to before `end`.
public struct TextRange: Sendable, Codable, Hashable {
  /// The offset of the first selected code unit.
  public var start: Int
  /// The offset after the last selected code unit. Equal to `start` for a cursor.
  public var end: Int
  /// A range from `start` to before `end`.
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }
}

/// A range in UTF-16 code units, from `start` to before `end`.
public struct TextRange: Sendable, Codable, Hashable {
  public var start: Int
  public var end: Int
  /// A range from `start` to before `end`.
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }
}

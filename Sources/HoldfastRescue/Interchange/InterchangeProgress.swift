/// The progress of an import, an export or an indexing.
public struct InterchangeProgress: Sendable, Hashable {
  /// Bytes of the file for an import, messages for an export or an indexing.
  public var completed: Int64
  /// The whole, in the unit of `completed`.
  public var total: Int64

  /// Progress with these numbers, for previews and tests.
  public init(completed: Int64, total: Int64) {
    self.completed = completed
    self.total = total
  }
}

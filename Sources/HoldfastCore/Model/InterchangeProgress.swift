/// How far an import or an export is.
public struct InterchangeProgress: Sendable, Hashable {
  /// Of an import: bytes of the file. Of an export: messages.
  public var completed: Int64
  public var total: Int64

  public init(completed: Int64, total: Int64) {
    self.completed = completed
    self.total = total
  }
}

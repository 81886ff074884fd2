/// A kind of file. A test picks what it likes.
public struct UTType: Hashable, Sendable {
  public static let item = UTType()
}

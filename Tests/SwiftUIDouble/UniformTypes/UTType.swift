/// A kind of file. A test may pick any.
public struct UTType: Hashable, Sendable {
  public static let item = UTType()
}

// The clipboard of the double: a text in memory.
@MainActor public final class NSPasteboard {
  public struct PasteboardType: Hashable, Sendable {
    public static let string = PasteboardType()
  }

  public static let general = NSPasteboard()
  /// The text on the clipboard. A test reads it.
  public private(set) var text: String?

  @discardableResult public func clearContents() -> Int {
    text = nil
    return 0
  }

  @discardableResult public func setString(_ string: String, forType dataType: PasteboardType) -> Bool {
    text = string
    return true
  }
}

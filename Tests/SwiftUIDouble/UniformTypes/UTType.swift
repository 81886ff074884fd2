import Foundation

/// A kind of file. A test may pick any.
public struct UTType: Hashable, Sendable {
  public static let item = UTType(extensions: nil)
  public static let image = UTType(extensions: ["png", "jpg", "jpeg", "gif", "heic", "webp"])
  /// The extensions of its files. Nil: any.
  private let extensions: Set<String>?

  public func takes(_ file: URL) -> Bool { extensions?.contains(file.pathExtension.lowercased()) ?? true }
}

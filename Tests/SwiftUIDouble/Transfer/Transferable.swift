import Foundation
import UniformTypeIdentifiers

/// A value that is dragged, dropped, copied and pasted
/// (https://developer.apple.com/documentation/coretransferable/transferable).
public protocol Transferable: Sendable {
  associatedtype Representation: TransferRepresentation
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

public protocol TransferRepresentation<Item>: Sendable {
  associatedtype Item: Transferable
  /// The value of a file. Nil for a file of another kind.
  func item(of file: URL) async throws -> Item?
}

@resultBuilder public struct TransferRepresentationBuilder<Item: Transferable> {
  public static func buildBlock<Content: TransferRepresentation>(_ content: Content) -> Content
  where Content.Item == Item {
    content
  }
}

public struct ReceivedTransferredFile: Sendable {
  public let file: URL
  public let isOriginalFile: Bool
}

/// A representation as a file. The system lends a copy, and removes it once the import has ended.
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
  private let type: UTType
  private let importing: @Sendable (ReceivedTransferredFile) async throws -> Item

  public init(
    importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    (type, self.importing) = (importedContentType, importing)
  }

  public func item(of file: URL) async throws -> Item? {
    guard type.takes(file) else { return nil }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lent = folder.appendingPathComponent(file.lastPathComponent)
    try FileManager.default.copyItem(at: file, to: lent)
    return try await importing(ReceivedTransferredFile(file: lent, isOriginalFile: false))
  }
}

extension Transferable {
  /// The value of a file that was dropped or pasted. Nil for a file of another kind.
  public static func item(of file: URL) async throws -> Self? {
    try await transferRepresentation.item(of: file) as? Self
  }
}

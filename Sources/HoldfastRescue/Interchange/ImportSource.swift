import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A file, or a value in the user defaults, that an earlier app left (rule H10). The app sees every source, and
/// decides, before anything is imported.
///
/// ```swift
/// var sources = ImportSource.found()
/// sources += ImportSource.values(of: UserDefaults.standard.dictionaryRepresentation())
/// for source in sources where source.format != nil && isWanted(source) {
///   try client.importHistory(from: source)
/// }
/// ```
public struct ImportSource: Sendable, Hashable {
  /// The file, or the property list that has the value. Nil for a value that the app passed.
  public let file: URL?
  /// The key of the value in the user defaults. Nil for a file.
  public let key: String?
  /// The format, detected from the contents. Nil when nothing in them can be imported.
  public let format: ImportFormat?
  /// The number of bytes to import.
  public let byteCount: Int64
  /// The value as JSON. Nil for a file, which is read when it is imported.
  let data: Data?

  /// A file chosen by the app. A file that cannot be read has no format.
  ///
  /// Costs reading the file's beginning, or all of it when nothing in it is recognized.
  public init(file: URL) {
    let opened = try? ImportedFile(file, { _ in })
    format = try? opened?.format()
    byteCount = opened?.byteCount ?? 0
    (self.file, key, data) = (file, nil, nil)
  }

  /// A value under a key of the user defaults.
  ///
  /// - Parameter file: the property list that has the value.
  init(key: String, data: Data, in file: URL? = nil) {
    format = try? ImportedFile(data, name: key, { _ in }).format()
    byteCount = Int64(data.count)
    (self.file, self.key, self.data) = (file, key, data)
  }

  /// Refuses a file that would import nothing, before there is a store for it. Returns whether any entry of it can
  /// be read.
  ///
  /// - Throws: ``ChatError`` with code `fileUnreadable` or `fileUnrecognized`.
  package static func check(_ file: URL, for user: UserID, _ authors: ImportAuthors) throws(ChatError) -> Bool
  {
    try Store.typed {
      let opened = try ImportedFile(file, { _ in })
      switch try opened.format(for: user, authors) {
      case nil, .place: throw ChatError.fileUnrecognized
      case let format?: return try opened.hasEntry(format, for: user, authors)
      }
    }
  }

  /// Opens the source for its import.
  func open(_ progress: @escaping (InterchangeProgress) throws -> Void) throws(ChatError) -> ImportedFile {
    if let data { return ImportedFile(data, name: key, progress) }
    guard let file else { throw .fileUnreadable }
    return try ImportedFile(file, progress)
  }
}

import Foundation

/// Where a client keeps its store: a folder with the database, its journal and the attachments.
///
/// ```swift
/// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
/// ```
public struct StorageLocation: Sendable, Hashable {
  enum Place: Hashable {
    case applicationSupport(name: String)
    case folder(URL)
  }
  let place: Place

  /// A folder of the app in the user's data folder, made when it is missing: Application Support on
  /// Apple's systems, else Documents; on Linux `$XDG_DATA_HOME/holdfast`, else `~/.local/share/holdfast`
  /// (XDG Base Directory Specification). Never a temporary folder (SPEC H6).
  public static func applicationSupport(_ name: String) -> StorageLocation {
    StorageLocation(place: .applicationSupport(name: name))
  }

  /// A folder of your own choice, made when it is missing. Only its owner can read it.
  public static func folder(_ url: URL) -> StorageLocation {
    StorageLocation(place: .folder(url))
  }

  /// The folder, not yet made. Throws ``ChatError/Code/storageUnavailable`` when the system has no
  /// persistent place.
  func resolve() throws -> URL {
    switch place {
    case .folder(let url): return url.standardizedFileURL
    case .applicationSupport(let name):
      guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
        throw ChatError(.malformedID, "The store's name must be a plain folder name.")
      }
      return try Self.dataFolder().appendingPathComponent("holdfast").appendingPathComponent(name)
    }
  }

  private static func dataFolder() throws -> URL {
    #if os(Linux)
      let variables = ProcessInfo.processInfo.environment
      // The specification has relative paths ignored.
      if let path = variables["XDG_DATA_HOME"], path.hasPrefix("/") {
        return URL(fileURLWithPath: path, isDirectory: true)
      }
      if let home = variables["HOME"], home.hasPrefix("/") {
        return URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(".local/share")
      }
    #else
      for folder in [FileManager.SearchPathDirectory.applicationSupportDirectory, .documentDirectory] {
        if let url = FileManager.default.urls(for: folder, in: .userDomainMask).first { return url }
      }
    #endif
    throw ChatError(
      .storageUnavailable,
      "This system has no persistent data folder. Hand in one with StorageLocation.folder(_:).")
  }
}

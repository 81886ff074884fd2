import Foundation

/// The place where a client keeps its store: a folder with the database, its journal and the attachments.
///
/// ```swift
/// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
/// ```
public struct StorageLocation: Sendable, Hashable {
  package enum Place: Hashable {
    case applicationSupport(name: String)
    case folder(URL)
  }
  /// The protection of the store's files on iOS and its relatives: when the system lets them be read.
  public enum Protection: Sendable, Hashable {
    /// From the first unlock after the device was started. Messages can be sent while the device is locked.
    case untilFirstUnlock
    /// Only while the device is unlocked. Work in the meantime waits (``ProtectedData``).
    case complete
  }

  package let place: Place
  package var isShared = false
  package var protection = StorageProtection()

  package init(place: Place, isShared: Bool = false, protection: StorageProtection = StorageProtection()) {
    self.place = place
    self.isShared = isShared
    self.protection = protection
  }

  /// A folder of the app in the user's data folder, made if it is missing. It is Application Support on Apple's
  /// systems, else Documents; on Linux `$XDG_DATA_HOME/holdfast`, else `~/.local/share/holdfast` (XDG Base
  /// Directory Specification). Never a temporary folder (rule H6): where there is no other, opening the store throws
  /// ``ChatError`` with code `storageUnavailable`.
  ///
  /// An app on tvOS may write only to its caches, which the system may delete while the app does not run. Give
  /// ``folder(_:)`` a folder there, and expect that drafts and unsent messages may be deleted with it.
  public static func applicationSupport(_ name: String) -> StorageLocation {
    StorageLocation(place: .applicationSupport(name: name))
  }

  /// A folder of your own choice, made if it is missing. Only its owner can read it.
  public static func folder(_ url: URL) -> StorageLocation {
    StorageLocation(place: .folder(url))
  }

  /// The same place, used by several processes of one user at once, such as an app and its share extension. Each
  /// process must call this method.
  ///
  /// ```swift
  /// // The app, and its extension:
  /// let storage = StorageLocation.folder(groupContainer.appending(path: "alice")).shared()
  /// let client = try ChatClient(storage: storage, transport: transport, user: "alice")
  /// // The extension needs no run(): what it sends is stored, and the app sends it.
  /// try client.send("Look at this", in: conversation)
  /// ```
  ///
  /// Each process may send, and write drafts. Exactly one has the connection: the first whose ``ChatClient/run()``
  /// is about to connect. When that run ends, or its process dies, another process takes over. Other running
  /// processes show at once what one of them stores: the timeline, the list, and any composer without unsaved text.
  /// A text that was typed while another process stored a draft of the same conversation is stored behind that
  /// draft, so that neither is lost.
  ///
  /// Sharing costs a lock and a file's date for each transaction, and no sync of the disk. Waiting for the other
  /// process's transaction blocks the caller for as long as one sync takes. A crash loses no more than without
  /// sharing.
  ///
  /// **Without this call**, still exactly one process has the connection, and nothing is sent twice. But that process
  /// notices what another process stored only on its own next occasion: the next message or acknowledgement of the
  /// same conversation, or the next connection. Its screen does not follow by itself; the older of two drafts may
  /// replace the newer; and SQLite before 3.51.3 may damage a database on which two processes write and checkpoint at
  /// the same instant. A store that was shared once remembers that, so that only a process that opened the store
  /// earlier can miss it.
  ///
  /// An app that is suspended must not hold a lock in a folder that it shares, or iOS ends the app: call
  /// ``ChatClient/suspend()`` in the background.
  public func shared() -> StorageLocation {
    var location = self
    location.isShared = true
    return location
  }

  /// The same place, with a file protection other than until the first unlock (rule P3).
  ///
  /// ```swift
  /// let client = try await ChatClient.open(
  ///   storage: .applicationSupport("alice").protected(.complete), transport: transport, user: "alice",
  ///   configuration: ChatConfiguration(protectedData: protectedData))
  /// ```
  ///
  /// With `complete`, nothing is stored, sent or received while the device is locked: the engine waits, and calls
  /// throw ``ChatError/Code/storageLocked``. Outside iOS and its relatives the setting has no effect: files are
  /// private to the user, with mode 0600 in a folder of mode 0700.
  public func protected(_ protection: Protection) -> StorageLocation {
    var location = self
    location.protection.level = protection
    return location
  }

  /// The same place, left out of the device's backup on Apple's systems (rule H6). Without this call, a restored
  /// device has the messages that the server does not have.
  ///
  /// ```swift
  /// let storage = StorageLocation.applicationSupport("alice").excludedFromBackup()
  /// ```
  public func excludedFromBackup() -> StorageLocation {
    var location = self
    location.protection.isExcludedFromBackup = true
    return location
  }

  /// The folder, which may not exist yet. Throws ``ChatError/Code/storageUnavailable`` when the system has no
  /// persistent place.
  package func resolve() throws -> URL {
    switch place {
    case .folder(let url): return url.standardizedFileURL
    case .applicationSupport(let name):
      guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
        throw ChatError(
          .malformedID, "The store's name is not a plain folder name. Choose a name without slashes.")
      }
      return try Self.dataFolder().appendingPathComponent("holdfast").appendingPathComponent(name)
    }
  }

  package static func dataFolder() throws(ChatError) -> URL {
    #if os(Linux)
      try dataFolder(ProcessInfo.processInfo.environment)
    #else
      try dataFolder { FileManager.default.urls(for: $0, in: .userDomainMask).first }
    #endif
  }

  /// The data folder on Linux, for a process with these environment variables. A relative path is ignored, as the XDG
  /// Base Directory Specification requires, and so is a folder that the system empties.
  static func dataFolder(_ variables: [String: String]) throws(ChatError) -> URL {
    let home = folder(variables["HOME"])?.appendingPathComponent(".local/share")
    let temporary = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/var/run", variables["TMPDIR"]].compactMap(
      folder)
    let folders = [folder(variables["XDG_DATA_HOME"]), home].compactMap(\.self)
    return try requirePlace(folders.first { folder in !temporary.contains { folder.isIn($0) } })
  }

  /// The data folder on Apple's systems, from the folders that the system names.
  static func dataFolder(_ folder: (FileManager.SearchPathDirectory) -> URL?) throws(ChatError) -> URL {
    try requirePlace(folder(.applicationSupportDirectory) ?? folder(.documentDirectory))
  }

  private static func folder(_ path: String?) -> URL? {
    guard let path, path.hasPrefix("/") else { return nil }
    return URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
  }

  private static func requirePlace(_ folder: URL?) throws(ChatError) -> URL {
    guard let folder else {
      throw ChatError(
        .storageUnavailable,
        "This system has no persistent data folder. Name a folder instead.")
    }
    return folder
  }
}

extension URL {
  fileprivate func isIn(_ folder: URL) -> Bool { pathComponents.starts(with: folder.pathComponents) }
}

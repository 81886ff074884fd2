import Foundation
import HoldfastCore
import HoldfastStore

/// A proof of the user's identity to the server, such as a token. Code can read the bytes, but logs cannot: a
/// credential that is printed, dumped or interpolated shows nothing of itself.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself.
  public let bytes: Data
  public var description: String { "(credential)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror, so that a dump shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
  /// The bytes as UTF-8 text, such as a token. Nil when they are not valid UTF-8.
  public var text: String? { String(data: bytes, encoding: .utf8) }

  /// A credential of any bytes.
  public init(_ bytes: Data) { self.bytes = bytes }
  /// A credential that is stored as UTF-8 text.
  public init(_ text: String) { bytes = Data(text.utf8) }
}

/// A store for the credentials of accounts. It is outside the database, so that no export, no backup of a store and
/// no log contains credentials (rule P5).
///
/// ```swift
/// let credentials = try SystemCredentials.open()
/// try credentials.set(Credential(token), for: "alice")
/// let transport = WebSocketTransport(url: url) { try credentials.credential(for: "alice")?.text ?? "" }
/// ```
///
/// The engine never asks for credentials: the transport does.
public protocol CredentialStore: Sendable {
  /// The credential of an account. Nil when the account has not stored one.
  ///
  /// - Throws: ``ChatError`` with code `storageLocked` before the device's first unlock, `storagePermissions` when
  ///   others could read the credential, or `credentialsUnavailable`.
  func credential(for user: UserID) throws(ChatError) -> Credential?

  /// Stores a credential in place of the previous one, or removes that with nil. The change is on disk when the call
  /// returns.
  func set(_ credential: Credential?, for user: UserID) throws(ChatError)
}

/// The system's own store for credentials.
public enum SystemCredentials {
  /// The keychain on Apple's systems. On other systems, files of mode 0600 in a folder of the user's data folder,
  /// outside every store.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable` when the system has no persistent location.
  public static func open() throws(ChatError) -> any CredentialStore {
    #if canImport(Security)
      return KeychainCredentials()
    #else
      return FileCredentials(
        folder: try StorageLocation.dataFolder().appendingPathComponent("holdfast-credentials"))
    #endif
  }
}

extension ChatError {
  package static let unavailable = ChatError(
    .credentialsUnavailable, "The system does not keep credentials for this app. Sign in again.")
}

import Foundation
import HoldfastCore
import HoldfastStore

/// What proves to the server who the user is: a token, say. It shows its bytes to whoever asks for them, and to no log:
/// printed, dumped or interpolated it says nothing of itself.
public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself.
  public let bytes: Data
  public var description: String { "(credential)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
  /// As a token is written. Nil when it is none.
  public var text: String? { String(data: bytes, encoding: .utf8) }

  /// A credential of any bytes.
  public init(_ bytes: Data) { self.bytes = bytes }
  /// A credential that is kept as UTF-8 text.
  public init(_ text: String) { bytes = Data(text.utf8) }
}

/// Where the credentials of accounts are kept: outside of the database, so that they are in no export, no backup of a
/// store and no log (SPEC P5).
///
/// ```swift
/// let credentials = try SystemCredentials.open()
/// try credentials.set(Credential(token), for: "alice")
/// let transport = WebSocketTransport(url: url) { try credentials.credential(for: "alice")?.text ?? "" }
/// ```
///
/// The engine itself never asks for them: the transport does.
public protocol CredentialStore: Sendable {
  /// Nil when there is none.
  ///
  /// - Throws: ``ChatError`` with code `storageLocked` before the device's first unlock, `storagePermissions` when others
  ///   could read it, or `credentialsUnavailable`.
  func credential(for user: UserID) throws(ChatError) -> Credential?

  /// Keeps a credential in the place of the one before, or takes that away with nil. On disk when it returns.
  func set(_ credential: Credential?, for user: UserID) throws(ChatError)
}

/// Where this system keeps credentials.
public enum SystemCredentials {
  /// The keychain on Apple's systems; elsewhere files of mode 0600 in a folder of the user's data folder, outside of every
  /// store.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable` when the system has no persistent place.
  public static func open() throws(ChatError) -> any CredentialStore {
    #if canImport(Security)
      return KeychainCredentials()
    #else
      do {
        return FileCredentials(
          folder: try StorageLocation.dataFolder().appendingPathComponent("holdfast-credentials"))
      } catch {
        throw (error as? ChatError) ?? .unavailable
      }
    #endif
  }
}

extension ChatError {
  package static let unavailable = ChatError(
    .credentialsUnavailable, "The system does not keep credentials for this app. Sign in again.")
}

import HoldfastCore
import HoldfastStore

#if canImport(Security)
  import Foundation
  import Security

  /// Credentials in the keychain. The credentials are readable from the device's first unlock on, so that messages can
  /// be sent while the device is locked. The credentials never leave the device.
  ///
  /// ```swift
  /// let credentials = KeychainCredentials(service: "chat.example.app", accessGroup: "TEAM.chat.example.shared")
  /// ```
  public struct KeychainCredentials: CredentialStore {
    let service: String
    let accessGroup: String?

    /// - Parameter accessGroup: the access group of an app and its extensions. Nil for the app's own.
    public init(service: String = "holdfast", accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// Reads the credential. Costs a call to the keychain's process.
    public func credential(for user: UserID) throws(ChatError) -> Credential? {
      var query = query(for: user)
      query[kSecReturnData] = true
      query[kSecMatchLimit] = kSecMatchLimitOne
      var item: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &item)
      if status == errSecItemNotFound { return nil }
      try require(status)
      return (item as? Data).map { Credential($0) }
    }

    /// Replaces the previous credential in one step.
    public func set(_ credential: Credential?, for user: UserID) throws(ChatError) {
      guard let credential else {
        let status = SecItemDelete(query(for: user) as CFDictionary)
        if status != errSecItemNotFound { try require(status) }
        return
      }
      let values: [CFString: Any] = [
        kSecValueData: credential.bytes, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      let status = SecItemUpdate(query(for: user) as CFDictionary, values as CFDictionary)
      guard status == errSecItemNotFound else { return try require(status) }
      try require(
        SecItemAdd(query(for: user).merging(values) { $1 } as CFDictionary, nil))
    }

    private func query(for user: UserID) -> [CFString: Any] {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: user.rawValue,
        kSecUseDataProtectionKeychain: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func require(_ status: OSStatus) throws(ChatError) {
      switch status {
      case errSecSuccess: return
      case errSecInteractionNotAllowed: throw .locked
      default: throw .unavailable
      }
    }
  }
#endif

import Foundation

/// When the system lets the store's files be read, and whether they go into the device's backup. Applied to the folder,
/// which what is made in it inherits, and to what is there already: database, journal and attachments (SPEC P3, H6).
package struct StorageProtection: Sendable, Hashable {
  package var level = StorageLocation.Protection.untilFirstUnlock
  var isExcludedFromBackup = false

  package init() {}

  package func apply(to folder: URL) throws {
    #if canImport(Darwin)
      #if !os(macOS)
        let type: FileProtectionType =
          level == .complete ? .complete : .completeUntilFirstUserAuthentication
        let files = FileManager.default
        let present = try files.attributesOfItem(atPath: folder.path)[.protectionKey] as? FileProtectionType
        // What is made in the folder has had its class since it was set.
        if present != type {
          let paths = (files.subpaths(atPath: folder.path) ?? []).map { folder.path + "/" + $0 }
          // The folder last: a crash in between begins again.
          for path in paths + [folder.path] {
            try files.setAttributes([.protectionKey: type], ofItemAtPath: path)
          }
        }
      #endif
      var values = URLResourceValues()
      values.isExcludedFromBackup = isExcludedFromBackup
      var place = folder
      try place.setResourceValues(values)
    #endif
  }
}

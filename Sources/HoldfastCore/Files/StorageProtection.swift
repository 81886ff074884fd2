import Foundation

/// The protection of the store's files: when the system lets them be read, and whether they go into the device's
/// backup. It is applied to the folder, whose new contents inherit it, and to its present contents: database,
/// journal and attachments (rules P3, H6).
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
        // New files in the folder have had this class since it was set.
        if present != type {
          let paths = (files.subpaths(atPath: folder.path) ?? []).map { folder.path + "/" + $0 }
          // The folder comes last: after a crash in between, the work begins again.
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

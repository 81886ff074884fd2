import Foundation
import HoldfastCore

/// How a folder of attachments fits what its database says, for whoever compares them.
package struct AttachmentAudit: Sendable, Hashable {
  /// Referred to and said to be here, and not here, or another file than the name says.
  package var missing: [AttachmentChecksum]
  /// Names in the folder that nothing refers to.
  package var stray: [String]

  package init(missing: [AttachmentChecksum] = [], stray: [String] = []) {
    self.missing = missing
    self.stray = stray
  }

  /// Reads all of the files.
  package init(of folder: URL, holding checksums: Set<AttachmentChecksum>, parts: Set<String>) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let known = parts.union(checksums.map(\.rawValue))
    missing = checksums.sorted { $0.rawValue < $1.rawValue }.filter { checksum in
      let file = try? OpenFile(reading: folder.appendingPathComponent(checksum.rawValue))
      return (try? file?.checksum()) != checksum
    }
    stray = names.filter { !known.contains($0) }.sorted()
  }
}

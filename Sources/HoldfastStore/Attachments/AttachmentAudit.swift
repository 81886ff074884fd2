import Foundation
import HoldfastCore

/// A comparison of a folder of attachments with what its database says.
package struct AttachmentAudit: Sendable, Hashable {
  /// Attachments that the database marks as present, but whose file is missing or does not match its checksum.
  package var missing: [ChatAttachment.Checksum]
  /// Names of files in the folder that nothing refers to.
  package var stray: [String]

  package init(missing: [ChatAttachment.Checksum] = [], stray: [String] = []) {
    self.missing = missing
    self.stray = stray
  }

  /// Compares the folder with its database. Costs the reading of all the files.
  package init(of folder: URL, holding checksums: Set<ChatAttachment.Checksum>, parts: Set<String>) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let known = parts.union(checksums.map(\.rawValue))
    missing = checksums.sorted { $0.rawValue < $1.rawValue }.filter { checksum in
      let file = try? OpenFile(reading: folder.appendingPathComponent(checksum.rawValue))
      return (try? file?.checksum()) != checksum
    }
    stray = names.filter { !known.contains($0) }.sorted()
  }
}

extension Store {
  /// - Parameter isSwept: whether files that an operation could not remove are removed first, as the next launch would
  ///   do.
  package func auditAttachments(isSwept: Bool) throws(ChatError) -> AttachmentAudit {
    if isSwept { try sweepAttachmentFolder() }
    let uses = try read { try $0.attachments.used() }
    return AttachmentAudit(
      of: attachments.url, holding: Set(uses.filter(\.value).keys),
      parts: Set(uses.filter { !$0.value }.map { attachments.part(of: $0.key).lastPathComponent }))
  }
}

import Foundation
import Holdfast

/// The look of an attachment: a picture, or a name, with the progress of its transfer.
package struct PresentedFile: Sendable, Hashable, Identifiable {
  package var id: ChatAttachment.ID
  package var name: String
  /// The file, for the system's viewer. Nil while it is not here.
  package var file: URL?
  /// The picture's file. Nil when it is not a picture, or not here yet.
  package var picture: URL?
  /// The part that has been transferred, from 0 to 1. Nil when no transfer is under way.
  package var fraction: Double?
  /// Whether the file is on the server alone, and is fetched when its user asks for it.
  package var offersDownload: Bool

  package init(_ row: AttachmentRow) {
    id = row.id
    name = row.attachment.name
    // Only raster images are shown. Other images may be programs.
    let isPicture = ["image/png", "image/jpeg", "image/gif", "image/heic", "image/webp"].contains(
      row.attachment.mediaType)
    file = row.file
    picture = isPicture ? row.file : nil
    fraction = row.fraction
    offersDownload = row.state == .remote
  }
}

/// Runs `body` while a file that was picked outside of the app's own folders may be read.
@MainActor package func whilePicked(_ file: URL, _ body: () async -> Void) async {
  #if canImport(Darwin)
    let isGranted = file.startAccessingSecurityScopedResource()
    defer { if isGranted { file.stopAccessingSecurityScopedResource() } }
  #endif
  await body()
}

import Foundation

/// The kinds of images that apps put into drafts without a name, detected from their first bytes. Pure.
enum ImageKind: String {
  case png, jpeg, gif, webp, heic

  /// Nil when the bytes match none of them.
  init?(_ beginning: Data) {
    let bytes = Array(beginning)
    switch bytes {
    case _ where bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): self = .png
    case _ where bytes.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
    case _ where bytes.starts(with: Array("GIF8".utf8)): self = .gif
    case _ where bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: "WEBP".utf8):
      self = .webp
    case _ where bytes.dropFirst(4).starts(with: "ftypheic".utf8): self = .heic
    default: return nil
    }
  }
}

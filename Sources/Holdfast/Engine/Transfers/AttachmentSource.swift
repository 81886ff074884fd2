import Foundation
import HoldfastCore
import HoldfastStore

/// A file, or bytes in memory, that is to be copied into a draft in pieces.
struct AttachmentSource {
  /// The name for others, without a folder.
  let name: String
  /// Returns the piece at an offset.
  let read: (_ offset: Int64) throws -> Data

  init(_ file: URL, name: String?) throws(ChatError) {
    let source: OpenFile
    do {
      guard file.isFileURL else { throw POSIXError(.EINVAL) }
      source = try OpenFile(reading: file)
    } catch {
      throw Self.unreadable
    }
    self.name = AttachmentName.sanitized(name ?? file.lastPathComponent)
    read = { offset in
      do { return try source.read(OpenFile.pieceBytes, at: offset) } catch { throw Self.unreadable }
    }
  }

  init(_ data: Data, name: String) {
    self.name = AttachmentName.sanitized(name)
    read = { offset in
      let start = data.startIndex + Int(offset)
      return data[start..<min(start + OpenFile.pieceBytes, data.endIndex)]
    }
  }

  /// The media type in its normal form. It is guessed from the name when none is given.
  func mediaType(_ given: String?) throws(ChatError) -> String {
    guard let mediaType = MediaType.normalized(given ?? MediaType.guessed(from: name)) else {
      throw ChatError(.malformedMediaType, "A media type is written like image/png.")
    }
    return mediaType
  }

  private static var unreadable: ChatError {
    ChatError(.attachmentUnreadable, "The file is gone or cannot be read. Choose another one.")
  }
}

extension Store {
  /// The file of an attachment. Nil while it is not on this device.
  func fileHere(_ checksum: ChatAttachment.Checksum) -> URL? {
    guard checksum.isWellFormed, let stored = try? read({ try $0.attachments.stored(checksum) }),
      stored.isHere
    else { return nil }
    return attachments.file(of: checksum)
  }
}

import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// A file whose bytes are in a message of the imported file: as a data URL (RFC 2397), or in base64 beside their
/// media type. Pure.
struct InlineFile {
  var address: String
  var name: String?

  init(address: String, name: String?) { (self.address, self.name) = (address, name) }

  /// Nil when the fields of a file, or of a part of a text, contain no bytes.
  init?(of fields: LooseFields, name: String?) {
    let inner = ["file", "imageurl", "videourl", "source", "inlinedata", "inputaudio"].compactMap {
      fields.object($0)
    }
    let all = [fields] + inner
    if let address = all.lazy.flatMap({ file in Self.places.compactMap { file.text($0) } }).first(
      where: Self.isAddress)
    {
      self.init(address: address, name: name ?? inner.lazy.compactMap { $0.text("filename", "name") }.first)
      return
    }
    for file in all {
      guard let bytes = file.text("data", "filedata"),
        let type = file.text("mediatype", "mimetype") ?? file.text("format").map({ "audio/" + $0 })
      else { continue }
      self.init(address: "data:\(type);base64,\(bytes)", name: name)
      return
    }
    return nil
  }

  private static let places = [
    "url", "uri", "href", "data", "filedata", "imageurl", "videourl", "content", "src",
  ]

  static func isAddress(_ text: String) -> Bool {
    text.prefix(5).lowercased() == "data:" && text.prefix(200).contains(",")
  }

  /// The file with its bytes. Nil when they cannot be decoded.
  var decoded: (attachment: ChatAttachment, bytes: Data)? {
    guard let comma = address.firstIndex(of: ",") else { return nil }
    let head = address[..<comma].dropFirst(5).split(separator: ";").map(String.init)
    let body = address[address.index(after: comma)...]
    let isBase64 = head.contains { $0.lowercased() == "base64" }
    let data = isBase64 ? Self.base64(body) : body.removingPercentEncoding.map { Data($0.utf8) }
    guard let bytes = data, !bytes.isEmpty else { return nil }
    let type = head.first.flatMap(MediaType.normalized)
    let attachment = ChatAttachment(
      imported: .init(of: bytes), name: name, mediaType: type, isImage: type?.hasPrefix("image/") ?? true,
      beginning: bytes.prefix(16), byteCount: Int64(bytes.count))
    return (attachment, bytes)
  }

  /// Decodes base64. Some encoders break lines, omit the padding, or use the URL-safe alphabet.
  private static func base64(_ text: Substring) -> Data? {
    var letters = Data()
    for byte in text.utf8 where byte > 0x20 && byte != UInt8(ascii: "=") {
      letters.append(
        byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte)
    }
    letters.append(contentsOf: Data(repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4))
    return Data(base64Encoded: letters)
  }
}

extension ChatAttachment {
  /// A file of another app, which may have no name and no type: an image is detected from its first bytes.
  init(
    imported checksum: Checksum, name: String?, mediaType: String?, isImage: Bool, beginning: Data,
    byteCount: Int64
  ) {
    let kind = ImageKind(beginning)
    let fallback = isImage ? "image" + (kind.map { "." + $0.rawValue } ?? "") : "file"
    let name = AttachmentName.sanitized(name ?? fallback)
    var type = MediaType.normalized(mediaType ?? MediaType.guessed(from: name)) ?? MediaType.unknown
    if type == MediaType.unknown, let kind { type = MediaType.guessed(from: "." + kind.rawValue) }
    self.init(checksum: checksum, name: name, mediaType: type, byteCount: byteCount)
  }
}

extension ChatClient {
  /// Copies the bytes of an attachment that stored messages wait for. Returns whether they match its checksum. Nil
  /// when no message waits for them.
  nonisolated func bring(
    _ checksum: ChatAttachment.Checksum, _ read: (_ offset: Int64) throws -> Data
  ) throws -> Bool? {
    guard let stored = try store.read({ try $0.attachments.stored(checksum) }), !stored.isHere else {
      return nil
    }
    return try store.copying { () throws(ChatError) in
      let copy = try store.copyAttachment(named: environment.makeID(), atMost: .max, read)
      defer { store.attachments.abandon(copy) }
      guard copy.checksum == checksum else { return false }
      var attachment = stored.attachment
      attachment.byteCount = copy.byteCount
      let now = environment.now()
      try store.write { transaction in
        try store.attachments.settle(copy)
        try transaction.attachments.insert(attachment, isHere: true, now: now)
      }
      return true
    }
  }
}

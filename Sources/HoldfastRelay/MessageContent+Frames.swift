import Foundation
import HoldfastCore

extension MessageContent {
  /// The content of a message in a frame, as received and not yet validated.
  init(_ frame: KeyedDecodingContainer<FieldKey>) throws {
    self.init(
      try frame.decode(String.self, forKey: "body"),
      formatting: try frame.decodeIfPresent(Data.self, forKey: "formatting"),
      reasoning: try frame.decodeIfPresent(String.self, forKey: "reasoning"),
      replyTo: try frame.decodeIfPresent(String.self, forKey: "replyTo").map(MessageID.init(rawValue:)),
      request: try frame.decodeIfPresent(String.self, forKey: "request").map(RequestID.init(rawValue:)),
      metadata: try frame.decodeIfPresent(Data.self, forKey: "metadata"),
      images: try frame.decodeIfPresent([String].self, forKey: "images") ?? [],
      videos: try frame.decodeIfPresent([String].self, forKey: "videos") ?? [])
  }

  func encode(into frame: inout KeyedEncodingContainer<FieldKey>) throws {
    try frame.encode(text, forKey: "body")
    // Base64 on the wire.
    try frame.encodeIfPresent(formatting, forKey: "formatting")
    try frame.encodeIfPresent(reasoning, forKey: "reasoning")
    try frame.encodeIfPresent(replyTo?.rawValue, forKey: "replyTo")
    try frame.encodeIfPresent(request?.rawValue, forKey: "request")
    try frame.encodeIfPresent(metadata, forKey: "metadata")
    if !images.isEmpty { try frame.encode(images, forKey: "images") }
    if !videos.isEmpty { try frame.encode(videos, forKey: "videos") }
  }

  /// An upper bound of the values' size in a frame, in bytes.
  package var jsonBytes: Int {
    var texts = [text, reasoning, replyTo?.rawValue, request?.rawValue].reduce(0) {
      $0 + ($1?.jsonBytes ?? 0)
    }
    for reference in images + videos { texts += reference.jsonBytes + 1 }
    // Three bytes are four characters of base64, between quotation marks.
    return [formatting, metadata].reduce(texts) { $0 + ($1.map { ($0.count + 2) / 3 * 4 + 2 } ?? 0) }
  }

  /// The content without invalid fields.
  var known: MessageContent {
    var content = self
    if replyTo?.isWellFormed == false { content.replyTo = nil }
    if request?.isWellFormed == false { content.request = nil }
    return content
  }
}

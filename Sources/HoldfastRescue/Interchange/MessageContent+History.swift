import Foundation
import HoldfastCore

extension MessageContent {
  /// The content of a message in a `history.json`.
  init(history fields: KeyedDecodingContainer<FieldKey>) throws {
    self.init(
      try fields.decode(String.self, forKey: "content"), formatting: fields.optional(Data.self, "formatting"),
      reasoning: try fields.decodeIfPresent(String.self, forKey: "reasoning"),
      replyTo: fields.id("replyTo").map(MessageID.init(rawValue:)),
      request: fields.id("request").map(RequestID.init(rawValue:)),
      metadata: fields.optional(Data.self, "metadata"))
    self = storable
    // The limits are for messages that leave this device. What the user has is kept, such as images inside `data:` URLs.
    images = try fields.decodeIfPresent([String].self, forKey: "images")?.map(\.storable) ?? []
    videos = try fields.decodeIfPresent([String].self, forKey: "videos")?.map(\.storable) ?? []
  }

  /// Writes the fields that few messages have. The others have their places in the format.
  func writeAdditions(_ json: inout JSONText) {
    if let replyTo {
      json.key("replyTo")
      json.value(replyTo.rawValue)
    }
    if let request {
      json.key("request")
      json.value(request.rawValue)
    }
    if let formatting {
      json.key("formatting")
      json.value(formatting.base64EncodedString())
    }
    if let metadata {
      json.key("metadata")
      json.value(metadata.base64EncodedString())
    }
  }
}

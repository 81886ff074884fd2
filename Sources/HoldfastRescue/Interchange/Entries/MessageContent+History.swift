import Foundation
import HoldfastCore
import HoldfastStore

extension MessageContent {
  /// The names of the fields that few messages have. All other fields have fixed places in the format.
  static let additions: Set = ["replyTo", "request", "formatting", "metadata"]

  /// Reads the ``additions`` except the metadata, in which an import also keeps values that have no other place.
  /// Other apps have several names for the replied-to message.
  mutating func readAdditions(_ fields: LooseFields) {
    replyTo = fields.id(["replyto", "inreplyto", "replytoid", "quotedmessageid"]).map(
      MessageID.init(rawValue:))
    request = fields.id(["request"]).map(RequestID.init(rawValue:))
    formatting = fields.text("formatting").flatMap { Data(base64Encoded: $0) }
  }

  /// Writes the ``additions``.
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

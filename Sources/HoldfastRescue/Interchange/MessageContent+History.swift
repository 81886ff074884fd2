import HoldfastCore
import HoldfastStore

extension MessageContent {
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

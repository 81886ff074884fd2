import Foundation
import Holdfast

/// The look of a reference to an image or a video: a tile with its kind and its name. Nothing is fetched for it.
package struct PresentedReference: Sendable, Codable, Hashable {
  package enum Kind: String, Sendable, Codable {
    case image, video
  }

  package var kind: Kind
  /// "Image", or "Video".
  package var label: String
  /// The name of the file, or else the host. The reference itself when it has neither.
  package var name: String
  /// The host of an address in the web. Nil without one, or when it is the name.
  package var host: String?
  /// The whole reference. It is untrusted: it is shown before it is opened.
  package var address: String

  /// The images of a message, and then its videos.
  package static func all(
    in content: MessageContent, _ texts: (ChatConfiguration.ShownText) -> String
  ) -> [PresentedReference] {
    content.images.map { PresentedReference($0, .image, texts(.image)) }
      + content.videos.map { PresentedReference($0, .video, texts(.video)) }
  }

  /// The address for a browser. Nil for one that is not in the web.
  package var url: URL? { Self.isWeb(address) ? URL(string: address) : nil }

  init(_ address: String, _ kind: Kind, _ label: String) {
    (self.kind, self.label, self.address) = (kind, label, address)
    let found = Self.isWeb(address) ? URLComponents(string: address)?.host : nil
    let host = found.flatMap { $0.isEmpty ? nil : $0 }
    let path = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map(String.init) ?? ""
    let file = path == host || !path.contains(".") ? nil : path.removingPercentEncoding ?? path
    name = Self.embedded(address) ?? file ?? host ?? address
    self.host = name == host ? nil : host
  }

  /// The media type of a reference that has the bytes in itself.
  private static func embedded(_ address: String) -> String? {
    guard address.lowercased().hasPrefix("data:") else { return nil }
    return String(address.dropFirst(5).prefix { $0 != ";" && $0 != "," })
  }

  /// Whether a browser opens an address without running it.
  package static func isWeb(_ address: String) -> Bool {
    ["http://", "https://"].contains { address.lowercased().hasPrefix($0) }
  }
}

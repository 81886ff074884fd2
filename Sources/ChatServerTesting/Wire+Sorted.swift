import Foundation
import HoldfastRelay

extension Wire {
  /// Encodes a frame with sorted keys, so that two runs of one seed have the same bytes.
  package static func sorted(_ frame: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(frame)
  }
}

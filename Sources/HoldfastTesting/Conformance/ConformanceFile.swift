import Foundation

/// The files that cases send.
enum ConformanceFile {
  static let small = bytes(3_000)
  /// More than one piece on any transport that sends pieces.
  static let large = bytes(400_000)

  private static func bytes(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) })
  }
}

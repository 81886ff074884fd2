import Foundation
import HoldfastTesting

/// Bytes that are not a frame, as sent by a broken proxy, a wrong port or an attacker. All of them are drawn from
/// the world's random numbers.
enum Garbage {
  /// - Parameters:
  ///   - real: a frame to corrupt. Its bytes must be the same in every run.
  ///   - isFrame: whether bytes are still a frame. Such bytes are not returned.
  static func drawn(
    from random: inout SeededRandom, spoiling real: Data, isFrame: (Data) -> Bool
  ) -> (kind: String, frame: Data) {
    let (kind, frame): (String, Data) =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: ("noise", noise(&random))
      case 1: ("half a frame", real.prefix(Int.random(in: 0...max(0, real.count - 1), using: &random)))
      case 2: ("a frame with another byte", bitten(real, &random))
      case 3: ("a nest", nest(&random))
      case 4: ("a frame without a field", renamed(real, &random))
      default: ("a frame with an absurd number", absurd(real, &random))
      }
    return isFrame(frame) ? ("nothing at all", Data()) : (kind, Data(frame))
  }

  private static func noise(_ random: inout SeededRandom) -> Data {
    let count = Int.random(in: 0...200, using: &random)
    return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  private static func bitten(_ real: Data, _ random: inout SeededRandom) -> Data {
    guard !real.isEmpty else { return real }
    var bytes = [UInt8](real)
    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
    return Data(bytes)
  }

  /// Nested values, some of them deeper than any decoder allows.
  private static func nest(_ random: inout SeededRandom) -> Data {
    let depth = random.pick([10, 600, 20_000])!
    let (open, close) = random.pick([("[", "]"), ("{\"type\":", "}")])!
    return Data((String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
  }

  /// A frame with an unknown key instead of a required one.
  private static func renamed(_ real: Data, _ random: inout SeededRandom) -> Data {
    let parts = String(decoding: real, as: UTF8.self).components(separatedBy: "\":")
    guard parts.count > 1 else { return Data() }
    let index = Int.random(in: 0..<(parts.count - 1), using: &random)
    let head = parts[...index].joined(separator: "\":")
    return Data((head + "x\":" + parts[(index + 1)...].joined(separator: "\":")).utf8)
  }

  private static let absurdities = [
    "-1e400", "99999999999999999999999", "1.5", "null", "\"1\"", "[]", "{}", "-", "true", "0x10",
  ]

  private static func absurd(_ real: Data, _ random: inout SeededRandom) -> Data {
    let text = String(decoding: real, as: UTF8.self)
    let numbers = text.ranges(of: /:-?[0-9]+/)
    guard let range = random.pick(numbers) else { return Data() }
    return Data(text.replacingCharacters(in: range, with: ":" + random.pick(absurdities)!).utf8)
  }
}

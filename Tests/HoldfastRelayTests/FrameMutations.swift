import EngineFixtures
import Foundation
import HoldfastTesting

@testable import HoldfastCore
@testable import HoldfastRelay

/// Mutations of a server's valid frames. Some change bytes. Others change fields, so that more of the frames stay
/// valid.
struct FrameMutations {
  private var dice: SeededRandom
  private let frames: [Data]
  private let ids: [String]
  private var cursor: Int64 = 1

  private let numbers: [Any] = [
    Int64.min, Int64.min + 1, Int64(-1), Int64(0), Int64(1), Int64(2), Int64(1) << 60, (Int64(1) << 60) - 1,
    Int64.max - 1, Int64.max, 1.5, 1e300, -0.0,
  ]
  private let texts: [Any] = [
    "", " ", "\u{0}", "a\u{0}b", "\u{7}\u{1B}[2J", "alice", "bob", "eve", "alice-bob", "elsewhere", "m1",
    "answer",
    "user", "root", "rejected", "gap", "\u{212A}", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}",
    String(repeating: "x", count: 256), String(repeating: "\u{301}", count: 2000),
  ]
  private let others: [Any] = [
    NSNull(), true, false, [Any](), [String: Any](), [NSNull()], ["x": [1, 2]],
  ]

  /// - Parameter checksums: checksums of attachments, some known to the client and some not.
  init(seed: UInt64, of frames: [Wire.ServerFrame], checksums: [ChatAttachment.Checksum]) {
    dice = SeededRandom(seed: seed)
    ids = checksums.map(\.rawValue) + ["m1", "../../store.sqlite"]
    self.frames = frames.compactMap { try? JSONEncoder().encode($0) }
  }

  init(seed: UInt64, own: [MessageID]) {
    dice = SeededRandom(seed: seed)
    let checksum = String(repeating: "a", count: 64)
    ids = own.map(\.rawValue) + ["m1", "answer", "new", checksum]
    var picture = EngineExample.known("picture", order: 5)
    picture.attachments = [.init(checksum: checksum, name: "a.png", mediaType: "image/png", bytes: 3)]
    let items = [
      Wire.Item(message: EngineExample.known("new", order: 2)), Wire.Item(message: picture),
      Wire.Item(message: EngineExample.known(own[0].rawValue, order: 3)),
      Wire.Item(conversation: .init(id: "alice-bob", title: "Us", members: ["alice", "bob"])),
    ]
    let valid: [Wire.ServerFrame] =
      [
        .welcome(.init(account: "alice", maximumMessageBytes: 100_000)),
        .events(.init(after: 1, cursor: 2, items: items, more: true)),
        .events(.init(after: nil, cursor: 0, items: items, more: false)),
        .receipts(
          .init(items: own.map { .init(id: $0.rawValue, conversation: "alice-bob", order: 4, at: 5) })),
        .refused(
          .init(id: own[1].rawValue, handover: 2, kind: .rejected, code: "rejected", explanation: "No.")),
        .refused(.init(id: own[2].rawValue, handover: 3, kind: .busy, retryAfter: 5)),
        .piece(EngineExample.wirePiece(1, " upon")),
        .piece(EngineExample.wirePiece(0, "Once")),
        .answer(.init(number: 1, outcome: "finished")),
        .pong(.init(cursor: 2)),
        .failure(.init(code: .unavailable, explanation: "Later.", retryAfter: 5)),
      ] + Self.transfers(checksum: checksum, total: 3)
    frames = valid.compactMap { try? JSONEncoder().encode($0) }
  }

  /// The frames of a server about an attachment.
  static func transfers(checksum: String, total: Int64) -> [Wire.ServerFrame] {
    [
      .uploaded(.init(checksum: checksum, bytes: 1)),
      .data(.init(checksum: checksum, offset: 0, total: total, data: Data([1]))),
      .uploadRefused(.init(checksum: checksum, code: .busy, explanation: "Later.", retryAfter: 5)),
      .fetchRefused(.init(checksum: checksum, code: .unknown, explanation: "No.")),
    ]
  }

  mutating func next() -> Data {
    let frame = dice.pick(frames) ?? Data()
    if dice.chance(0.2) { return bytesChanged(frame) }
    guard var json = try? JSONSerialization.jsonObject(with: frame) else { return frame }
    for _ in 0..<Int.random(in: 1...3, using: &dice) { json = changed(json, depth: 0) }
    json = advanced(json)
    // The values have no NaN and no infinity, which JSON cannot represent.
    return (try? JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)) ?? frame
  }

  /// Lets most pages follow the last one, because the client ignores the others at once.
  private mutating func advanced(_ json: Any) -> Any {
    guard var page = json as? [String: Any], page["type"] as? String == "events", dice.chance(0.8) else {
      return json
    }
    page["after"] = cursor
    cursor += 1
    page["cursor"] = cursor
    return page
  }

  private mutating func changed(_ json: Any, depth: Int) -> Any {
    switch json {
    case var object as [String: Any] where !object.isEmpty && (depth == 0 || dice.chance(0.85)):
      // Sorted, because the order of a dictionary differs in each process.
      guard let key = dice.pick(object.keys.sorted()), let value = object[key] else { return json }
      switch dice.unit() {
      case ..<0.06: object[key] = nil
      case ..<0.1: object["\(key)x"] = value
      // A frame with another type is mostly invalid.
      case _ where key == "type" && dice.chance(0.9): break
      default: object[key] = changed(value, depth: depth + 1)
      }
      return object
    case var list as [Any] where !list.isEmpty && dice.chance(0.85):
      let index = Int.random(in: list.indices, using: &dice)
      switch dice.unit() {
      case ..<0.1: list.append(list[index])
      case ..<0.2: list.remove(at: index)
      default: list[index] = changed(list[index], depth: depth + 1)
      }
      return list
    default: return replaced(json)
    }
  }

  /// Mostly replaces a value with one of the same type, so that the decoder accepts it.
  private mutating func replaced(_ value: Any) -> Any {
    if dice.chance(0.1) { return dice.pick(others) ?? value }
    if value is String {
      return dice.chance(0.4) ? dice.pick(ids) ?? value : dice.pick(texts) ?? value
    }
    return dice.pick(numbers) ?? value
  }

  private mutating func bytesChanged(_ frame: Data) -> Data {
    var bytes = [UInt8](frame)
    for _ in 0..<Int.random(in: 1...4, using: &dice) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &dice)
      let end = min(bytes.count, place + Int.random(in: 1...20, using: &dice))
      switch dice.unit() {
      case ..<0.4: bytes[place] = UInt8.random(in: 0...255, using: &dice)
      case ..<0.6: bytes.removeSubrange(place..<end)
      case ..<0.8: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return Data(bytes)
  }
}

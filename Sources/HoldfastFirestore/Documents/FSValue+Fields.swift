#if Firestore
  import Foundation
  import SwiftProtobuf

  extension FSValue {
    static func string(_ value: String) -> FSValue { .with { $0.stringValue = value } }
    static func integer(_ value: Int64) -> FSValue { .with { $0.integerValue = value } }
    static func bytes(_ value: Data) -> FSValue { .with { $0.bytesValue = value } }
    static func time(microseconds: Int64) -> FSValue {
      .with { $0.timestampValue = Google_Protobuf_Timestamp(microseconds: microseconds) }
    }
    static func strings(_ values: [String]) -> FSValue {
      .with { $0.arrayValue = FSArrayValue.with { $0.values = values.map(FSValue.string) } }
    }

    var string: String? { if case .stringValue(let value)? = valueType { value } else { nil } }
    var integer: Int64? { if case .integerValue(let value)? = valueType { value } else { nil } }
    var bytes: Data? { if case .bytesValue(let value)? = valueType { value } else { nil } }
    var time: Google_Protobuf_Timestamp? {
      if case .timestampValue(let value)? = valueType { value } else { nil }
    }
    var strings: [String]? {
      if case .arrayValue(let value)? = valueType { value.values.compactMap(\.string) } else { nil }
    }
    var map: [String: FSValue]? { if case .mapValue(let value)? = valueType { value.fields } else { nil } }
  }

  extension Google_Protobuf_Timestamp {
    init(microseconds: Int64) {
      self.init()
      (seconds, nanos) = (microseconds / 1_000_000, Int32(microseconds % 1_000_000) * 1000)
    }

    /// Microseconds since 1970.
    var microseconds: Int64 { kept.seconds * 1_000_000 + kept.nanos / 1000 }
    var date: Date { Date(timeIntervalSince1970: Double(kept.seconds) + Double(kept.nanos) / 1e9) }

    /// The years 1 to 9999, which is the range of a timestamp. Values of a broken server beyond it are clamped.
    private var kept: (seconds: Int64, nanos: Int64) {
      (min(max(seconds, -62_135_596_800), 253_402_300_799), Int64(min(max(nanos, 0), 999_999_999)))
    }
  }

  extension FSDocument {
    /// The last part of the name.
    var id: DocumentID { DocumentID(rawValue: name.split(separator: "/").last.map(String.init) ?? "") }
  }

  /// The path of a field. Names that are not plain are in backquotes. See [Firestore's field
  /// paths](https://firebase.google.com/docs/firestore/quotas#limits).
  func fieldPath(_ names: String...) -> String {
    names.map { name in
      let isPlain = name.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
          true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
        default: false
        }
      }
      return isPlain && !name.isEmpty
        ? name : "`\(name.replacing("\\", with: "\\\\").replacing("`", with: "\\`"))`"
    }.joined(separator: ".")
  }
#endif

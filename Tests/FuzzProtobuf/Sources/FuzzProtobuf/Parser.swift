import HoldfastTransport
import SwiftProtobuf

/// The parsers of Firestore's responses.
enum Parser: String, CaseIterable {
  case protobuf

  /// The parser under test. libFuzzer's function has no argument except the bytes.
  nonisolated(unsafe) static var tried = protobuf

  /// Parses bytes. A fault ends the process.
  func read(_ bytes: [UInt8]) { ProtobufWords.read(bytes) }
}

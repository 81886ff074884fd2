import HoldfastTransport
import SwiftProtobuf

/// The readers of words that Firestore has written.
enum Parser: String, CaseIterable {
  case protobuf

  /// The parser that libFuzzer tries. Its function has no other argument than the bytes.
  nonisolated(unsafe) static var tried = protobuf

  /// Reads bytes. A fault ends the process.
  func read(_ bytes: [UInt8]) { ProtobufWords.read(bytes) }
}

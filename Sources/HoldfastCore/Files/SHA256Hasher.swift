import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CSHA256
#endif

/// Computes a SHA-256 (FIPS 180-4) piece by piece: with CryptoKit where the system has it, and otherwise in a few lines
/// of C, so that an app needs no package for it.
package struct SHA256Hasher {
  #if canImport(CryptoKit)
    private var hash = SHA256()

    package init() {}

    package mutating func update(_ data: Data) { hash.update(data: data) }

    package func finish() -> SHA256Sum { SHA256Sum(bytes: Array(hash.finalize())) }
  #else
    private var hash = holdfast_sha256()

    package init() { holdfast_sha256_begin(&hash) }

    package mutating func update(_ data: Data) {
      data.withUnsafeBytes { holdfast_sha256_update(&hash, $0.baseAddress, $0.count) }
    }

    /// The hash of the bytes so far. More bytes can follow.
    package func finish() -> SHA256Sum {
      var (copy, bytes) = (hash, [UInt8](repeating: 0, count: SHA256Sum.byteCount))
      holdfast_sha256_end(&copy, &bytes)
      return SHA256Sum(bytes: bytes)
    }
  #endif
}

/// The 32 bytes of a SHA-256.
package struct SHA256Sum: Sendable {
  package static let byteCount = 32

  package let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  package init(of data: Data) {
    var hasher = SHA256Hasher()
    hasher.update(data)
    bytes = hasher.finish().bytes
  }

  /// In hexadecimal digits.
  package var text: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Whether both are equal. Takes equally long for each other sum, so that the time reveals nothing about a secret.
  package func isEqualInConstantTime(to other: Data) -> Bool {
    guard other.count == bytes.count else { return false }
    return zip(bytes, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension ChatAttachment.Checksum {
  /// The checksum of a file's bytes, for a server that sends none.
  ///
  /// ```swift
  /// let bytes = Data("a,b".utf8)
  /// let checksum = ChatAttachment.Checksum(of: bytes)
  /// let file = ChatAttachment(
  ///   checksum: checksum, name: "table.csv", mediaType: "text/csv", byteCount: Int64(bytes.count))
  /// ```
  ///
  /// Costs a pass over the bytes, a few milliseconds for a megabyte.
  public init(of bytes: Data) { self.init(SHA256Sum(of: bytes)) }

  package init(_ sum: SHA256Sum) { self.init(rawValue: sum.text) }
}

import Crypto
import Foundation
import HoldfastTesting
import Testing

@testable import HoldfastCore

/// The checksum that the engine computes itself, beside that of swift-crypto.
@Suite struct SHA256Tests {
  // D16
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `the examples of the standard have the sums of the standard`(text: String, sum: String) {
    #expect(SHA256Sum(of: Data(text.utf8)).text == sum)
  }

  // D16
  @Test func `bytes of any length in pieces of any size have the sum that swift-crypto finds`() {
    var random = SeededRandom(seed: 34)
    for length in Array(0...300) + (0..<60).map({ _ in Int(random.next() % 300_000) }) {
      let bytes = Data((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      var (hasher, rest) = (SHA256Hasher(), bytes[...])
      while !rest.isEmpty {
        let count = Int(random.next() % 200) + 1
        // A part of other bytes begins at another index.
        hasher.update(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(hasher.finish().bytes == Array(SHA256.hash(data: bytes)), "\(length)")
      #expect(SHA256Sum(of: bytes).bytes == hasher.finish().bytes)
    }
  }

  // P5
  @Test func `a sum equals itself and no other one`() {
    let sum = SHA256Sum(of: Data("token".utf8))
    #expect(sum.isEqualInConstantTime(to: Data(sum.bytes)))
    #expect(!sum.isEqualInConstantTime(to: Data(sum.bytes.dropLast())))
    for index in 0..<SHA256Sum.byteCount {
      var other = Data(sum.bytes)
      other[index] ^= 1
      #expect(!sum.isEqualInConstantTime(to: other))
    }
  }
}

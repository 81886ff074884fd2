import Foundation
import Holdfast
import HoldfastTransport

/// A history of any length, the same each time: texts of twelve made-up words, the frequent ones as much more frequent
/// as in a language, and two words that are looked for.
@MainActor struct PastMessages {
  static let commonWord = "ferry"
  static let rareWord = "lighthouse"
  static let letter: Unicode.Scalar = "k"
  private static let vocabulary = 20_000.0
  private static let syllables = [
    "b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z",
  ]
  .flatMap { consonant in ["a", "e", "i", "o", "u"].map { consonant + $0 } }

  let count: Int

  /// In the server's order, from 1 to `count`.
  func messages(_ numbers: ClosedRange<Int>) -> [IncomingMessage] {
    zip(numbers, Rig.messages(numbers)).map { number, message in
      var message = message
      message.text = text(number)
      return message
    }
  }

  private func text(_ number: Int) -> String {
    var state = UInt64(number)
    var words = (0..<12).map { _ in
      // SplitMix64.
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      let share = Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
      // The word of rank n is the n-th part of the most frequent one.
      return Self.word(Int(pow(Self.vocabulary, share)))
    }
    if number.isMultiple(of: 3) { words.append(Self.commonWord) }
    if number % (count / 10) == count / 20 { words.append(Self.rareWord) }
    return words.joined(separator: " ")
  }

  private static func word(_ rank: Int) -> String {
    // Ranks that are close have nothing in common.
    var rest = rank * 7_919
    var word = ""
    while rest > 0 || word.isEmpty {
      word += syllables[rest % syllables.count]
      rest /= syllables.count
    }
    return word
  }

  /// Writes it as the file that another app hands over.
  func write(to file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let head =
      #"{"conversations":[{"id":"\#(Rig.conversation)","title":"Past","createdAt":"2025-10-09T08:53:20Z","#
      + #""updatedAt":"2025-10-09T08:53:20Z","members":["alice","bob"],"messages":["#
    try handle.write(contentsOf: Data(head.utf8))
    for start in stride(from: 1, through: count, by: 1_000) {
      let lines = messages(start...min(start + 999, count)).map { message in
        (message.order == 1 ? "" : ",")
          + #"\#n{"id":"\#(message.id)","role":"user","content":"\#(message.text)","status":"delivered","#
          + #""images":[],"videos":[],"timestamp":"\#(message.createdAt.formatted(.iso8601))","#
          + #""sender":"\#(message.sender)","order":\#(message.order ?? 0)}"#
      }
      try handle.write(contentsOf: Data(lines.joined().utf8))
    }
    try handle.write(contentsOf: Data("\n]}]}\n".utf8))
  }
}

import Foundation

extension String {
  /// The text as the store keeps it: U+0000 is replaced by U+FFFD, the replacement character, because SQLite's
  /// text ends at U+0000 and the rest would be lost. Applied wherever a text enters: send, draft, title,
  /// incoming message and piece. A selection stays valid, because both characters are one UTF-16 code unit.
  ///
  /// The text is contiguous in memory. The text of an Apple text field is not, and each read of it would be
  /// slow.
  package var storable: String {
    var text = self
    text.makeContiguousUTF8()
    guard text.hasNull else { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })
    return String(scalars)
  }

  /// Checked for every text that enters, so it searches memory directly where it can.
  private var hasNull: Bool {
    let found = utf8.withContiguousStorageIfAvailable { bytes in
      !bytes.isEmpty && memchr(bytes.baseAddress!, 0, bytes.count) != nil
    }
    return found ?? utf8.contains(0)
  }

  /// A hash that distinguishes texts in this process without keeping them.
  package var hashOfBytes: Int {
    var hasher = Hasher()
    hashBytes(into: &hasher)
    return hasher.finalize()
  }

  /// Texts that ``hasSameBytes(as:)`` finds equal have the same hash.
  package func hashBytes(into hasher: inout Hasher) {
    let isDone: Void? = utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { Array(utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    // This byte does not occur in UTF-8. It ends the text, so that two texts in a row hash as two.
    hasher.combine(UInt8.max)
  }

  /// Whether both texts are equal code unit by code unit. `==` also holds for texts that are only canonically
  /// equivalent. Called at each keystroke, so it compares memory directly where it can.
  package func hasSameBytes(as other: String) -> Bool {
    let (left, right) = (utf8, other.utf8)
    guard left.count == right.count else { return false }
    let isSame = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
      }
    }
    return isSame.flatMap(\.self) ?? left.elementsEqual(right)
  }
}

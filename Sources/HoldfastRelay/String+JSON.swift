extension String {
  /// An upper bound of the text's size as a value in JSON, in bytes.
  package var jsonBytes: Int {
    utf8.reduce(3) { bytes, byte in
      switch byte {
      case ..<0x20, 0x7F: bytes + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
      default: bytes + 1
      }
    }
  }
}

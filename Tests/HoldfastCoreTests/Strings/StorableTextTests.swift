import Testing

@testable import HoldfastCore

@Suite struct StorableTextTests {
  @Test(arguments: [
    ("", ""), ("hello", "hello"), ("a\0b", "a\u{FFFD}b"), ("\0", "\u{FFFD}"),
    ("\0\0😀\r\n", "\u{FFFD}\u{FFFD}😀\r\n"),
  ])
  func `only U+0000 is replaced, by as many UTF-16 code units`(text: String, stored: String) {
    #expect(text.storable == stored)
    #expect(text.storable.utf16.count == text.utf16.count)
  }
}

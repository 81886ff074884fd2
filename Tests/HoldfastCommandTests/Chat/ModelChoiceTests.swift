import Foundation
import Synchronization
import Testing

@testable import HoldfastCommand

@Suite struct ModelChoiceTests {
  @Test(arguments: [
    ("localhost:8080", "http://localhost:8080"),
    ("localhost", "http://localhost"),
    ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
    ("[::1]:8080/v1", "http://[::1]:8080/v1"),
    (" api.example.com/v1\n", "https://api.example.com/v1"),
    ("192.168.1.5:11434/v1", "https://192.168.1.5:11434/v1"),
    ("box:8080", "https://box:8080"),
    (" http://box/v1 ", "http://box/v1"),
    ("HTTPS://api.example.com/v1", "HTTPS://api.example.com/v1"),
  ])
  func `an address needs no scheme`(text: String, expected: String) {
    #expect(ModelChoice.url(of: text)?.absoluteString == expected)
  }

  @Test(arguments: ["", " ", "llama", "ftp://example.com", "http://", "://", ":8080", "my llama:8080"])
  func `what is no address of a server is not read`(text: String) {
    #expect(ModelChoice.url(of: text) == nil)
  }

  @Test func `a model is made once for each name`() {
    let count = Mutex(0)
    let make = ModelChoice.eachOnce { name in
      "\(name)\(count.withLock { $0 += 1; return $0 })"
    }
    #expect([make("a"), make("b"), make("a")] == ["a1", "b2", "a1"])
  }
}

import ArgumentParser

/// The place where the demo's conversations are kept.
enum DemoBackend: String, ExpressibleByArgument, CaseIterable {
  /// Two phones, and a relay between them.
  case relay
  /// One phone and its assistant, without a server.
  case device

  /// The phones. `part` is the page's name for a phone, and `account` is its user's name.
  var phones: [(part: String, account: String)] {
    self == .relay ? [("alice", "Alice"), ("bob", "Bob")] : [("alice", "Alice")]
  }

  /// A module that tells the page which parts it shows.
  var script: String {
    let parts = phones.map { "\"\($0.part)\"" }.joined(separator: ", ")
    return "export const phones = [\(parts)]\nexport const hasRelay = \(self == .relay)\n"
  }
}

import ArgumentParser

/// The server of the demo's conversations.
enum DemoBackend: String, ExpressibleByArgument, CaseIterable {
  /// Two phones, and a relay between them.
  case relay
  /// One phone and its assistant, without a server.
  case device
  /// Two phones, and Google's Firestore emulator between them.
  case firestore
  /// Two phones, and Synapse between them.
  case matrix

  /// The phones. `part` is the page's name for a phone, and `account` is its user's name.
  var phones: [(part: String, account: String)] {
    self == .device ? [("alice", "Alice")] : [("alice", "Alice"), ("bob", "Bob")]
  }

  /// The ID of an account's user on the server.
  func user(_ account: String) -> String { self == .matrix ? MatrixPhone.user(account) : account }

  /// A module that gives the page the parts that it shows.
  var script: String {
    let parts = phones.map { "\"\($0.part)\"" }.joined(separator: ", ")
    return "export const phones = [\(parts)]\nexport const backend = \"\(rawValue)\"\n"
  }

  /// The running processes, as a sentence.
  var greeting: String {
    switch self {
    case .relay: "Alice, Bob and the relay are running, each in its own process."
    case .device: "Alice's phone is running, and no server."
    case .matrix: "Alice, Bob and Synapse, a Matrix homeserver, are running, each in its own process."
    case .firestore:
      "Alice, Bob and Google's Firestore emulator are running. The emulator forgets everything when it ends, and the phones begin anew with it."
    }
  }
}

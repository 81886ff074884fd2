import HoldfastCore

extension IncomingMessage {
  /// One reaction to a message, with its sender.
  public struct Reaction: Sendable, Codable, Hashable {
    /// The member who reacted.
    public var sender: UserID
    /// The reaction, usually an emoji: 1 to 64 bytes without control characters.
    public var value: String
    /// The server's own name of the reaction, as ``IncomingMessage/serverID`` is of a message. Nil when it has none.
    public var serverID: String?

    /// A reaction with this value. The call that takes the reaction checks it.
    public init(_ value: String, from sender: UserID, serverID: String? = nil) {
      self.sender = sender
      self.value = value
      self.serverID = serverID
    }

    /// Compares senders and values, byte by byte, as the store and the server do. The server's name is not compared.
    public static func == (left: Reaction, right: Reaction) -> Bool {
      left.sender == right.sender && left.value.hasSameBytes(as: right.value)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(sender)
      value.hashBytes(into: &hasher)
    }

    /// The value without variation selectors: ❤ and ❤️ are one reaction for people, and two for a server. Each keeps
    /// the bytes that its sender gave it.
    package static func look(of value: String) -> String {
      String(
        String.UnicodeScalarView(value.unicodeScalars.filter { !("\u{FE0E}"..."\u{FE0F}").contains($0) }))
    }

    /// Longer reactions are refused wherever they enter.
    package static let maximumBytes = 64

    package static func isWellFormed(_ value: String) -> Bool {
      !value.isEmpty && value.utf8.count <= maximumBytes
        && value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
  }
}

import Foundation

/// An action that the server requests on one connection.
public enum ServerOutput: Sendable, Hashable {
  /// A frame for the client: one UTF-8 JSON object.
  case frame(Data)
  /// Close the connection after all earlier frames are sent. No output follows.
  case close
}

/// One connection of one account, as ``ChatServer/connect(token:send:)`` numbered it. Unique while the server
/// runs, and meaningless afterwards.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let number: Int

  public var description: String { "connection \(number)" }

  public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

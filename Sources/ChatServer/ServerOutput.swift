import Foundation

/// What the server wants done on one connection.
public enum ServerOutput: Sendable, Hashable {
  /// A frame for the client: one UTF-8 JSON object.
  case frame(Data)
  /// Close the connection once the frames before this are out. Nothing follows it.
  case close
}

/// One connection of one account, as ``ChatServer/connect(token:send:)`` numbered it. Unique while the server
/// runs, and meaningless afterwards.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
  let number: Int

  public var description: String { "connection \(number)" }

  public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

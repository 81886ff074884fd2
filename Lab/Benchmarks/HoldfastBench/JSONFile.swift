import Foundation
import HoldfastTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What apps write by hand: everything in one file of JSON, which is rewritten with each change.
struct JSONFile<Element: Codable> {
  let file: URL
  var elements: [Element]

  /// The way it is usually done: under another name first, and then renamed. Whether it is on the disk when
  /// the call returns is up to the system.
  func save() throws -> Duration {
    try timed { try encoded().write(to: file, options: .atomic) }
  }

  /// On the disk when the call returns, as the engine's commits are: file and folder are synced.
  func saveSynced() throws -> Duration {
    try timed {
      let data = try encoded()
      let draft = file.appendingPathExtension("new")
      try data.write(to: draft)
      let handle = try FileHandle(forUpdating: draft)
      try handle.synchronize()
      try handle.close()
      guard rename(draft.path, file.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      let folder = open(file.deletingLastPathComponent().path, O_RDONLY)
      defer { close(folder) }
      guard folder >= 0, fsync(folder) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
  }

  private func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return try encoder.encode(elements)
  }

  private func timed(_ body: () throws -> Void) throws -> Duration {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now)
  }
}

/// One message in such a file of a history.
struct JSONMessage: Codable {
  var id: String
  var role: String
  var sender: String
  var content: String
  var status: String
  var timestamp: Date
}

extension JSONMessage {
  init(_ message: IncomingMessage) {
    self.init(
      id: message.id.rawValue, role: message.role.rawValue, sender: message.sender.rawValue,
      content: message.text, status: "delivered", timestamp: message.createdAt)
  }
}

/// One message in such a file of unsent messages.
struct JSONQueued: Codable {
  var id: String
  var chatID: String
  var text: String
  var timestamp: Date
  var retryCount: Int
}

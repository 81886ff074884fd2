import Foundation
import Holdfast
import Synchronization

/// The local conversations, by device. No server ever gets any of them.
final class DevicePromises: Sendable {
  /// The word in the IDs of these conversations, in all their texts and in the names of their files.
  static let mark = "deviceonly"

  private let state = Mutex<[String: DevicePromise]>([:])

  /// Whether the bytes name such a conversation, or contain any of its contents.
  static func areMentioned(in bytes: Data) -> Bool { bytes.range(of: Data(mark.utf8)) != nil }

  static func firstID(on device: String) -> ConversationID {
    ConversationID(rawValue: "\(mark)-\(device)")
  }

  /// The promise about the device's conversation.
  subscript(device: String) -> DevicePromise {
    state.withLock { $0[device] ?? DevicePromise(Self.firstID(on: device)) }
  }

  @discardableResult
  func update<Result: Sendable>(_ device: String, _ change: (inout DevicePromise) -> Result) -> Result {
    state.withLock { change(&$0[device, default: DevicePromise(Self.firstID(on: device))]) }
  }
}

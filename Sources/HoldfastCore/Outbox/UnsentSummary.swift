import Foundation

/// Counts of everything that would be lost with the store, because only this device has it (rule S8).
public struct UnsentSummary: Sendable, Codable, Hashable {
  /// Messages that the server has not confirmed, including failed ones.
  public var messages: Int
  /// The failed ones among `messages`.
  public var failed: Int
  /// Edits, deletions and reactions that the server has not confirmed.
  public var operations: Int
  /// Drafts and unfinished edits.
  public var drafts: Int
  /// Finished messages that no server has: those of conversations on this device alone, and recorded or imported ones.
  public var onDevice: Int
  /// Replies that were begun on this device and are not finished.
  public var replies: Int

  /// A summary with these counts, for previews and tests.
  public init(
    messages: Int, failed: Int, operations: Int, drafts: Int, onDevice: Int = 0, replies: Int = 0
  ) {
    self.messages = messages
    self.failed = failed
    self.operations = operations
    self.drafts = drafts
    self.onDevice = onDevice
    self.replies = replies
  }

  /// Whether nothing would be lost.
  public var isEmpty: Bool {
    [messages, operations, drafts, onDevice, replies].allSatisfy { $0 == 0 }
  }
}

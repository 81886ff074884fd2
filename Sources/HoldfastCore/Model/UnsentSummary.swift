import Foundation

/// Counts of everything that would be lost with the store, because only this device has it (SPEC S8).
public struct UnsentSummary: Sendable, Codable, Hashable {
  /// Messages that the server has not confirmed, including failed ones.
  public var messages: Int
  /// The failed ones among `messages`.
  public var failed: Int
  /// Edits, deletions and reactions that the server has not confirmed.
  public var operations: Int
  /// Drafts and unfinished edits.
  public var drafts: Int

  /// A summary with these counts, for previews and tests.
  public init(messages: Int, failed: Int, operations: Int, drafts: Int) {
    self.messages = messages
    self.failed = failed
    self.operations = operations
    self.drafts = drafts
  }

  /// Whether nothing would be lost.
  public var isEmpty: Bool { messages == 0 && operations == 0 && drafts == 0 }
}

import Foundation

/// What would be lost with the store: nobody else has it (SPEC S8).
public struct UnsentSummary: Sendable, Codable, Hashable {
  /// Messages that the server has not confirmed, failed ones included.
  public var messages: Int
  /// Those of them that have failed.
  public var failed: Int
  /// Edits, deletions and reactions that the server has not confirmed.
  public var changes: Int
  /// Drafts, and unfinished edits.
  public var drafts: Int

  public init(messages: Int, failed: Int, changes: Int, drafts: Int) {
    self.messages = messages
    self.failed = failed
    self.changes = changes
    self.drafts = drafts
  }

  /// Nothing would be lost.
  public var isEmpty: Bool { messages == 0 && changes == 0 && drafts == 0 }
}

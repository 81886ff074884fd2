import Foundation
import HoldfastCore
import HoldfastStore

/// The actions that a row of the timeline offers, carried out.
extension ComposerModel {
  /// Carries out an action that a row of the timeline offers, so that no view decides which call an action stands for.
  ///
  /// ```swift
  /// .contextMenu {
  ///   ForEach(row.actions, id: \.self) { action in
  ///     Button(title(of: action)) {
  ///       Task { if await !composer.perform(action, on: row) { ask(action, row) } }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - `retry` puts the message back into the queue, and `cancel` and `delete` remove it.
  /// - `edit` of a message that has not gone puts its text behind the text of this composer. `edit` of a delivered
  ///   message begins its edit here (``beginEdit(_:)``).
  /// - `react` needs an emoji: call ``MessageHandle/react(_:)``. `info` and `decide` need a sheet. `continueReply` and
  ///   `retryReply` need the model that writes: they return the handle that the model's text goes to, from
  ///   ``MessageHandle/continueReply()`` and ``MessageHandle/retryReply()``. For these the call changes nothing.
  ///
  /// When the call returns, the change is on disk. An action that fails, because its message has left meanwhile, changes
  /// nothing, and `snapshot.problem` says why.
  ///
  /// - Returns: false for an action that needs something that only the view has. True for every other action, also when
  ///   it failed.
  @discardableResult
  public func perform(_ action: MessageRow.Action, on row: MessageRow) async -> Bool {
    let message = client.message(row.id)
    do throws(ChatError) {
      switch (action, row.delivery) {
      case (.info, _), (.decide, _), (.react, _), (.continueReply, _), (.retryReply, _): return false
      case (.edit, .delivered): beginEdit(row.id)
      case (.edit, _): _ = try await message.takeBack()
      case (.retry, _): try await message.retry()
      case (.cancel, _), (.delete, .failed): try await message.cancel()
      case (.delete, _): try message.delete()
      }
    } catch {
      attempt { () throws(ChatError) in throw error }
    }
    return true
  }
}

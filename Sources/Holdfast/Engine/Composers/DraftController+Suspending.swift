import HoldfastCore
import HoldfastStore

extension DraftController {
  /// Stores the typed texts and closes the files. When the call returns, no lock is held and no transaction is open
  /// (SPEC S7). Until ``resume()``, calls that read or store throw ``ChatError`` with code `suspended`, and typed texts
  /// stay in their composers.
  ///
  /// - Throws: as ``hardSave()``. The files are closed all the same.
  public func suspend() throws(ChatError) {
    let saved = Result { () throws(ChatError) in try hardSave() }
    store.tidyUp(environment.logger)
    try store.suspend()
    try saved.get()
  }

  /// Stores the typed texts, as ``hardSave()`` does, and then tidies up the files, as ``ChatClient/enterBackground()``
  /// does: a store of up to 16 MB has no copy of a deleted text afterwards (SPEC S9). Call it when the app enters the
  /// background and need not be suspended.
  ///
  /// - Throws: as ``hardSave()``.
  public func enterBackground() throws(ChatError) {
    try hardSave()
    store.tidyUp(environment.logger)
  }

  /// Opens the files again.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The controller stays suspended, and the next call
  ///   tries again.
  public func resume() throws(ChatError) {
    try store.resume()
    drafts.goOn()
  }
}

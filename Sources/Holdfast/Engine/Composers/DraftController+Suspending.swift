import HoldfastCore
import HoldfastStore

extension DraftController {
  /// Stores the typed texts and closes the files. When the call returns, no lock is held and no transaction is open
  /// (SPEC S7). Until ``resume()``, calls that read or store throw ``ChatError`` with code `suspended`, and typed texts
  /// stay in their composers.
  ///
  /// - Throws: as ``background()``. The files are closed all the same.
  public func suspend() throws(ChatError) {
    let saved = Result { () throws(ChatError) in try background() }
    store.tidyUp(environment.logger)
    try store.suspend()
    try saved.get()
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

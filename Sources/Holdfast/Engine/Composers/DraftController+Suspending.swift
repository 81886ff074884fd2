import HoldfastCore
import HoldfastStore

extension DraftController {
  /// Stores what is typed and closes the files. When it returns, no lock is held and no transaction is open (SPEC S7).
  /// Until ``resume()`` calls that read or store throw ``ChatError`` with code `suspended`; what is typed stays in the
  /// composers.
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
  /// - Throws: ``ChatError`` with a code that starts with `storage`: it stays suspended, and the next call tries again.
  public func resume() throws(ChatError) {
    try store.resume()
    drafts.goOn()
  }
}

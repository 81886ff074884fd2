import HoldfastCore
import HoldfastStore

extension ComposerModel {
  /// One value of ``snapshot``, observed apart from the others.
  public subscript<Value: Equatable>(
    dynamicMember path: KeyPath<ComposerSnapshot, Value> & Sendable
  ) -> Value { shown[path] }

  /// The reason why the last send or save failed. The text is still in the composer. Nil when there is no problem.
  public var problem: ChatError? {
    guard let message = shown[\.problem] else { return nil }
    return ChatError(shown[\.problemCode] ?? .storageFailed, message)
  }

  /// The text, for a text field.
  ///
  /// ```swift
  /// TextField("Message", text: $composer.text)
  /// ```
  ///
  /// To set it is to type it: ``edit(_:selection:formatting:generation:)`` says what that costs. A text that is the same
  /// byte by byte changes nothing, because a text field sets it again and again.
  public var text: String {
    get { shown[\.text] }
    set { if !newValue.hasSameBytes(as: snapshot.text) { edit(newValue) } }
  }

  /// The selection, in UTF-16 code units of ``text``. Nil when there is none. A new selection keeps the text and its
  /// formatting.
  public var selection: TextRange? {
    get { shown[\.selection] }
    set {
      guard newValue != snapshot.selection else { return }
      edit(snapshot.text, selection: newValue, formatting: snapshot.formatting)
    }
  }
}

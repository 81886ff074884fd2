import Holdfast

extension ComposerModel {
  /// The selection as a text field of SwiftUI has it: indices of ``ComposerModel/text``. Nil without a selection.
  ///
  /// It never outlives its text, because the engine changes both at once. A field that has indices of an earlier text
  /// ends its app (expo/expo#47434 and #48274 on iOS 18 and 26). A new value has indices of the present text: set it
  /// once the field's text has arrived.
  package var cursor: Range<String.Index>? {
    get {
      let units = text.utf16
      guard let selection, selection.start <= selection.end, selection.end <= units.count else { return nil }
      return units.index(
        units.startIndex, offsetBy: selection.start)..<units.index(
          units.startIndex, offsetBy: selection.end)
    }
    set {
      // A field that has lost the cursor says nothing about where the user was.
      guard let newValue, newValue.upperBound <= text.endIndex else { return }
      let units = text.utf16
      let start = units.distance(from: units.startIndex, to: newValue.lowerBound)
      selection = TextRange(start: start, end: start + units[newValue].count)
    }
  }
}

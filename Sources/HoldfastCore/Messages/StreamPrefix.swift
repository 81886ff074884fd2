import Foundation

/// The stored part of a message whose tokens are still arriving.
package struct StreamPrefix: Equatable {
  package var text = ""
  package var reasoning = ""
  /// The number of the next piece.
  package var nextSequence: Int64 = 0

  package init(text: String = "", reasoning: String = "", nextSequence: Int64 = 0) {
    self.text = text
    self.reasoning = reasoning
    self.nextSequence = nextSequence
  }

}

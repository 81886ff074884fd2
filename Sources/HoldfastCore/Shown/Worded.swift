/// A shown value, whose texts are made from its codes and numbers. Its initialiser gives it the English ones.
package protocol Worded {
  /// Gives the value its texts. They replace those that it had.
  mutating func word(with texts: (ChatConfiguration.ShownText) -> String)
}

extension Worded {
  /// The value with other texts.
  package func worded(with texts: (ChatConfiguration.ShownText) -> String) -> Self {
    var worded = self
    worded.word(with: texts)
    return worded
  }

  /// Gives the value the texts of the English catalogue.
  package mutating func wordInEnglish() { word { $0.english } }
}

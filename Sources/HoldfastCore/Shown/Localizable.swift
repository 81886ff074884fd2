/// A shown value, whose texts are made from its codes and numbers. Its initialiser gives it the English ones.
package protocol Localizable {
  /// Gives the value its texts. They replace the previous ones.
  mutating func localize(with texts: (ChatConfiguration.ShownText) -> String)
}

extension Localizable {
  /// The value with other texts.
  package func localized(with texts: (ChatConfiguration.ShownText) -> String) -> Self {
    var localized = self
    localized.localize(with: texts)
    return localized
  }

  /// Gives the value the texts of the English catalogue.
  package mutating func localizeInEnglish() { localize { $0.english } }
}

import Foundation

extension ChatConfiguration.ShownText {
  /// The text in the app's language: English, German or Arabic. English for all others.
  ///
  /// ```swift
  /// let configuration = ChatConfiguration(texts: { text in text.localized })
  /// ```
  ///
  /// The app's language is the first of `Bundle.main.preferredLocalizations`: one that its user prefers, and that the
  /// app itself has. An app that is not localized in German shows none of these texts in German. Costs a dictionary's
  /// lookup at most.
  public var localized: String { text(in: Self.appLanguage) }

  /// The language at the launch. A change of the app's language restarts the app.
  private static let appLanguage = Bundle.main.preferredLocalizations.first ?? "en"

  /// - Parameter language: a language tag (RFC 5646), "de" or "ar-EG". The first part alone counts.
  func text(in language: String) -> String {
    switch language.split(whereSeparator: { $0 == "-" || $0 == "_" }).first?.lowercased() {
    case "de": german
    case "ar": arabic
    default: english
    }
  }
}

extension String {
  /// The text as the store keeps it: U+0000 is replaced by U+FFFD, the replacement character, because
  /// SQLite's text ends at U+0000 and what follows would be lost. Applied wherever a text enters: send, draft,
  /// title, incoming message and piece. A selection stays where it is, for both are one UTF-16 code unit.
  var storable: String {
    guard utf8.contains(0) else { return self }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })
    return String(scalars)
  }
}

import Foundation

/// The page's files, from the bundle beside the executable.
enum PageFiles {
  /// Only these are served, so that no path can lead out of the folder.
  private static let names: Set = [
    "index.html", "style.css", "chat.css", "timeline.css", "replies.css", "composer.css", "files.css",
    "overlays.css", "list.css", "markdown.css", "icon.svg",
    "app.js", "device.js", "relay.js", "process.js", "intents.js", "chat.js", "timeline.js", "acts.js",
    "row.js", "files.js", "picks.js", "composer.js", "context.js", "banner.js", "list.js",
    "unreadable.js", "menu.js", "sheet.js", "panel.js", "search.js", "marks.js", "words.js", "undo.js",
    "import.js", "taps.js", "markdown.js", "references.js", "opening.js",
  ]

  static func content(of name: String) -> Data? {
    guard names.contains(name), let folder = Bundle.module.resourceURL else { return nil }
    return try? Data(contentsOf: folder.appending(path: "Page/\(name)"))
  }
}

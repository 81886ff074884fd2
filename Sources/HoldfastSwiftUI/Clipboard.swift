#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  #if canImport(UIKit)
    import UIKit
  #else
    import AppKit
  #endif

  /// The system's clipboard.
  @MainActor enum Clipboard {
    static func copy(_ text: String) {
      #if canImport(UIKit)
        UIPasteboard.general.string = text
      #else
        NSPasteboard.general.clearContents()
        NSPasteboard.general.setString(text, forType: .string)
      #endif
    }
  }
#endif

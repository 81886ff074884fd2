import Foundation
import SwiftUI

extension View {
  /// The system's viewer shows the file's name, and closes.
  nonisolated public func quickLookPreview(_ item: Binding<URL?>) -> some View {
    return sheet(
      item: Binding { @MainActor in
        item.wrappedValue.map(PreviewedFile.init)
      } set: { @MainActor file in
        item.wrappedValue = file?.url
      }
    ) { file in Text(verbatim: file.url.lastPathComponent) }
  }
}

private struct PreviewedFile: Identifiable {
  let url: URL
  var id: URL { url }
}

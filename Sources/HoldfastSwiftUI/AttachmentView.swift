#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// A file of a message, or of the composer.
  struct AttachmentView: View {
    let file: PresentedFile
    /// The label of the button that fetches it.
    let download: String
    let onDownload: @MainActor () -> Void

    var body: some View {
      VStack(alignment: .leading, spacing: 4) {
        if let picture = file.picture {
          AsyncImage(url: picture, transaction: Transaction()) { phase in
            if let image = phase.image {
              image.resizable().scaledToFit().accessibilityLabel(Text(verbatim: file.name))
            } else {
              Image(systemName: "photo").accessibilityLabel(Text(verbatim: file.name))
            }
          }
          .frame(maxWidth: 240, maxHeight: 240)
        } else {
          HStack(spacing: 6) {
            Image(systemName: "doc").accessibilityHidden(true)
            Text(verbatim: file.name).lineLimit(1)
          }
        }
        if let fraction = file.fraction {
          ProgressView(value: fraction).accessibilityLabel(Text(verbatim: file.name))
        }
        if file.offersDownload { Button(action: onDownload) { Text(verbatim: download) } }
      }
      .font(.footnote)
    }
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import QuickLook
  import SwiftUI

  /// A reference of a message to an image or a video. Nothing is fetched: a tap shows the whole address, and asks.
  struct ReferenceView: View {
    let reference: PresentedReference
    let client: ChatClient
    @State private var isAsked = false
    @Environment(\.openURL) private var openURL

    var body: some View {
      Button {
        isAsked = true
      } label: {
        HStack(spacing: 6) {
          Image(systemName: reference.kind == .image ? "photo" : "play.rectangle").accessibilityHidden(true)
          VStack(alignment: .leading) {
            Text(verbatim: reference.label)
            Text(verbatim: reference.name).foregroundStyle(.secondary).lineLimit(1)
          }
        }
        .font(.footnote)
      }
      .disabled(reference.url == nil)
      .alert(Text(verbatim: reference.label), isPresented: $isAsked, presenting: reference.url) { url in
        Button(client.label(.open)) { openURL(url) }
        Button(client.label(.cancel), role: .cancel) {}
      } message: { url in
        Text(verbatim: url.absoluteString)
      }
    }
  }

  /// A file of a message, or of the composer. A tap opens it in the system's viewer, which saves and shares it.
  ///
  /// ```swift
  /// ForEach(row.attachments) { file in AttachmentView(file, in: client) }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct AttachmentView: View {
    private let file: PresentedFile
    private let checksum: ChatAttachment.Checksum
    private let client: ChatClient
    @State private var preview = FilePreview()
    @Environment(\.messageActions) private var actions

    /// A file of a row or of a composer. Its download is offered where `messageActions(_:writer:)` carries it out.
    public init(_ row: AttachmentRow, in client: ChatClient) {
      (file, checksum, self.client) = (PresentedFile(row), row.attachment.checksum, client)
    }

    public var body: some View {
      VStack(alignment: .leading, spacing: 4) {
        Button {
          preview.show(file, in: client)
        } label: {
          looks
        }
        .buttonStyle(.plain)
        .disabled(file.file == nil)
        if let fraction = file.fraction {
          ProgressView(value: fraction).accessibilityLabel(Text(verbatim: file.name))
        }
        if file.offersDownload, let actions {
          Button(client.label(.download)) { actions.download(checksum) }
        }
      }
      .font(.footnote)
      .quickLookPreview($preview.url)
      .onDisappear { preview.url = nil }
    }

    private var looks: some View {
      Group {
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
      }
    }
  }
#endif

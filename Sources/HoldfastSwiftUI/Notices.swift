#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  extension PresentedMessage.Line.Look {
    /// The colour of a line's text (rule O3). A waiting message has readable text on yellow.
    var color: Color {
      switch self {
      case .quiet, .time: .secondary
      case .badge: .primary
      case .failed: .red
      }
    }
  }

  /// One sentence with its colour, and with an icon where it is red.
  struct NoticeLine: View {
    let text: String
    let look: PresentedMessage.Line.Look

    var body: some View {
      HStack(spacing: 4) {
        if look == .failed { Image(systemName: "exclamationmark.circle").accessibilityHidden(true) }
        Text(verbatim: text)
      }
      .font(.footnote)
      .foregroundStyle(look.color)
      .padding(.horizontal, look == .badge ? 8 : 0)
      .background(Color.yellow.opacity(look == .badge ? 0.3 : 0), in: RoundedRectangle(cornerRadius: 8))
    }
  }

  /// The notice in place of rows: a skeleton, the reason why they cannot be read, or that there are none.
  struct ContentNotice: View {
    let content: PresentedContent
    /// The label of the button that repeats the read.
    let reload: String
    let onReload: @MainActor () -> Void

    init(content: PresentedContent, reload: String, onReload: @escaping @MainActor () -> Void) {
      (self.content, self.reload, self.onReload) = (content, reload, onReload)
    }

    var body: some View {
      if content.isLoading {
        ProgressView().padding().frame(maxWidth: .infinity)
      } else if let failure = content.failure {
        VStack(spacing: 8) {
          Text(verbatim: failure).font(.headline)
          Text(verbatim: content.reason ?? "").font(.footnote).foregroundStyle(.secondary)
          Button(action: onReload) { Text(verbatim: reload) }
        }
        .padding()
        .frame(maxWidth: .infinity)
      } else if let note = content.note {
        Text(verbatim: note).foregroundStyle(.secondary).padding().frame(maxWidth: .infinity)
      }
    }
  }

  /// The banner of the connection, and the progress of a long queue (rule N2).
  ///
  /// ```swift
  /// ConnectionBannerView(ConnectionModel(client))   // a model that you keep, and whose run() runs
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ConnectionBannerView: View {
    private let connection: ConnectionModel

    /// A banner that follows the model.
    public init(_ connection: ConnectionModel) { self.connection = connection }

    public var body: some View {
      VStack(spacing: 0) {
        if let banner = connection.banner { bar(banner.text, color(banner.kind)) }
        if let progress = connection.progress { bar(progress.text, .gray) }
      }
    }

    private func bar(_ text: String, _ color: Color) -> some View {
      Text(verbatim: text)
        .font(.footnote)
        .padding(.vertical, 6)
        .frame(maxWidth: .infinity)
        .background(color.opacity(0.3))
    }

    private func color(_ kind: ConnectionBanner.Kind) -> Color {
      switch kind {
      case .offline: .gray
      case .reconnecting, .signedOut: .orange
      case .connected: .green
      }
    }
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
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

  /// The notice in place of the messages of a timeline: a skeleton, the reason why they cannot be read, or "No messages
  /// yet".
  ///
  /// ```swift
  /// TimelineNotice(timeline)
  /// ScrollView { ForEach(timeline.rowIDs, id: \.self) { id in Bubble(model: timeline, id: id) } }
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct TimelineNotice: View {
    private let timeline: ConversationModel

    /// The notice of a timeline whose `run()` runs.
    public init(_ timeline: ConversationModel) { self.timeline = timeline }

    public var body: some View {
      let client = timeline.client
      ContentNotice(content: PresentedContent(timeline, client.configuration.texts), client: client) {
        timeline.reload()
      }
    }
  }

  /// The notice in place of rows: a skeleton, the reason why they cannot be read, or that there are none.
  struct ContentNotice: View {
    let content: PresentedContent
    let client: ChatClient
    /// Repeats the read.
    let onReload: @MainActor () -> Void

    var body: some View {
      if content.isLoading {
        Skeleton().accessibilityLabel(Text(verbatim: client.text(.loadingHistory)))
      } else if let failure = content.failure {
        VStack(spacing: 8) {
          Text(verbatim: failure).font(.headline)
          Text(verbatim: content.reason ?? "").font(.footnote).foregroundStyle(.secondary)
          Button(client.label(.reload), action: onReload)
        }
        .padding()
        .frame(maxWidth: .infinity)
      } else if let note = content.note {
        Text(verbatim: note).foregroundStyle(.secondary).padding().frame(maxWidth: .infinity)
      }
    }
  }

  /// Rows without words, until the first read has ended (rule H7).
  private struct Skeleton: View {
    var body: some View {
      VStack(spacing: 8) {
        ForEach([40, 120, 80, 160], id: \.self) { (room: CGFloat) in
          Text(verbatim: " ")
            .padding(10)
            .frame(maxWidth: .infinity)
            .background(Color.gray.opacity(0.15), in: RoundedRectangle(cornerRadius: 16))
            .padding(.trailing, room)
        }
      }
      .padding()
      .accessibilityElement(children: .ignore)
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
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    /// A banner that follows the model.
    public init(_ connection: ConnectionModel) { self.connection = connection }

    public var body: some View {
      VStack(spacing: 0) {
        if let banner = connection.banner { bar(banner.text, color(banner.kind)) }
        if let progress = connection.progress { bar(progress.text, .gray) }
      }
      .animation(reducesMotion ? nil : .default, value: connection.banner)
    }

    private func bar(_ text: String, _ color: Color) -> some View {
      Text(verbatim: text)
        .font(.footnote)
        .padding(.vertical, 6)
        .frame(maxWidth: .infinity)
        .background(color.opacity(0.3))
        .transition(.move(edge: .top).combined(with: .opacity))
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

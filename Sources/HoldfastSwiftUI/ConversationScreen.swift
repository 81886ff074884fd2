#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// One conversation: its timeline, its banners, and its composer with the stored draft.
  ///
  /// ```swift
  /// ConversationScreen(open) { message in
  ///   MessageRowView(message) { row in Text(row.text).bold() }
  /// } composer: { composer, send in
  ///   MessageComposer(composer, send: send)
  /// }
  /// ```
  ///
  /// Another conversation is another screen: no state of the first one stays. **Experimental**: type-checked, and
  /// never run on a device.
  public struct ConversationScreen<Row: View, Composer: View>: View {
    private let conversation: OpenConversation
    private let row: (ShownMessage) -> Row
    private let composer: (ComposerModel, @escaping @MainActor () -> Void) -> Composer

    /// A screen with rows and a composer of the app's own.
    ///
    /// - Parameters:
    ///   - conversation: the conversation, and its place in the window.
    ///   - row: a message of the timeline. `messageMenu(_:)` opens its actions.
    ///   - composer: the view under the timeline, of a model whose `run()` runs, and of what sends its content.
    public init(
      _ conversation: OpenConversation, @ViewBuilder row: @escaping (ShownMessage) -> Row,
      @ViewBuilder composer: @escaping (ComposerModel, _ send: @escaping @MainActor () -> Void) -> Composer
    ) {
      (self.conversation, self.row, self.composer) = (conversation, row, composer)
    }

    public var body: some View {
      // Without the IDs, the first conversation's models would stay.
      ConversationLoader(conversation: conversation, row: row, composer: composer)
        .id(conversation.opening.map(String.init) ?? conversation.message?.rawValue ?? "")
        .id(conversation.id)
    }
  }

  extension ConversationScreen where Composer == MessageComposer {
    /// A screen with rows of the app's own.
    public init(_ conversation: OpenConversation, @ViewBuilder row: @escaping (ShownMessage) -> Row) {
      self.init(conversation, row: row) { composer, send in MessageComposer(composer, send: send) }
    }
  }

  extension ConversationScreen where Row == StandardMessageRow, Composer == MessageComposer {
    /// A screen with the views of this module alone.
    public init(_ conversation: OpenConversation) {
      self.init(conversation) { message in StandardMessageRow(message) }
    }

    /// A screen that keeps no place.
    public init(_ client: ChatClient, _ conversation: ConversationID) {
      self.init(OpenConversation(client, conversation))
    }
  }

  /// Makes the models when the screen appears: SwiftUI makes views far more often than it shows them.
  private struct ConversationLoader<Row: View, Composer: View>: View {
    let conversation: OpenConversation
    let row: (ShownMessage) -> Row
    let composer: (ComposerModel, @escaping @MainActor () -> Void) -> Composer
    @State private var model: ConversationScreenModel?

    var body: some View {
      Group {
        if let model {
          ConversationView(model: model, conversation: conversation, row: row, composer: composer)
        } else {
          ProgressView()
        }
      }
      .onAppear {
        guard model == nil else { return }
        let writer = conversation.writer
        model = ConversationScreenModel(
          conversation.client, conversation.id, around: conversation.message, place: conversation.place,
          writer: writer?.write, replies: writer?.replies ?? [], asked: writer?.asked)
      }
    }
  }

  /// A row of a timeline. It is evaluated again when its message or a neighbour changes.
  private struct PlacedRow<Row: View>: View {
    let model: ConversationScreenModel
    let place: RowPlace
    let row: (ShownMessage) -> Row

    var body: some View {
      if let (message, looks) = model.message(at: place) {
        row(ShownMessage(message, looks, model.client))
          .onChange(of: looks.line) { model.lineChanged(of: place.id) }
      }
    }
  }

  private struct ConversationView<Row: View, Composer: View>: View {
    @Bindable var model: ConversationScreenModel
    let conversation: OpenConversation
    let row: (ShownMessage) -> Row
    let composer: (ComposerModel, @escaping @MainActor () -> Void) -> Composer
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    @Environment(\.messageSpacing) private var spacing

    var body: some View {
      VStack(spacing: 0) {
        if conversation.showsConnection { ConnectionBannerView(model.connection) }
        TimelineNotice(model.timeline)
        timeline
        if model.offersNewest { Button(model.client.label(.newest)) { model.tapNewest() } }
        if let refusal = model.timeline.refusal {
          HStack {
            NoticeLine(text: refusal.explanation, look: .failed)
            Spacer()
            Button(model.client.label(.retry)) { model.retryConversation() }
          }
          .padding(.horizontal)
        }
        if let problem = model.problem { NoticeLine(text: problem, look: .failed).padding(.horizontal) }
        composer(model.composer) { model.send() }
      }
      .attachesDrops(to: model.composer, by: model.messageActions.actionQueue)
      .environment(\.messageActions, model.messageActions)
      .navigationTitle(Text(verbatim: model.timeline.title))
      .userActivity(
        conversation.links?.activityType ?? "", element: conversation.links == nil ? nil : model.activity
      ) { place, activity in
        conversation.links?.write(place, to: activity)
      }
      .messageSheets(model.messageActions, model.client)
      .task { await model.run() }
    }

    private var timeline: some View {
      ScrollViewReader { proxy in
        ScrollView {
          // The window of rows is bounded: a lazy stack jumps when rows come in above it.
          VStack(spacing: spacing) {
            if let above = model.content.above {
              NoticeLine(text: above, look: .quiet)
            }
            if let label = model.content.olderLabel {
              Button(label) { model.timeline.loadOlder() }
            }
            ForEach(model.places) { place in
              PlacedRow(model: model, place: place, row: row)
                .onGeometryChange(for: RowEdge?.self) { row in
                  let frame = row.frame(in: .scrollView)
                  return RowEdge(
                    place.id, top: frame.minY, height: frame.height,
                    timeline: Double(row.bounds(of: .scrollView)?.height ?? 0))
                } action: { edge in
                  if let edge { model.reached(edge) } else { model.left(place.id) }
                }
                .id(place.id)
            }
          }
          .scrollTargetLayout()
          .padding(.horizontal)
        }
        .onScrollGeometryChange(for: EndMeasure.self) { place in
          EndMeasure(
            height: place.contentSize.height,
            isAtEnd: place.contentSize.height - place.visibleRect.maxY < EndMeasure.near,
            isNearEnd: place.contentSize.height - place.visibleRect.maxY < place.visibleRect.height,
            isAtStart: place.visibleRect.minY < place.visibleRect.height / 2)
        } action: { before, now in
          model.measured(
            isAtEnd: now.isAtEnd, isAtStart: now.isAtStart, isNearEnd: now.isNearEnd,
            hasGrown: now.height != before.height)
        }
        // A message of many screens counts as well.
        .onScrollTargetVisibilityChange(idType: MessageID.self, threshold: 0.001) { messages in
          model.saw(messages)
        }
        .onScrollPhaseChange { _, phase in if phase == .idle { model.rested() } }
        .onChange(of: model.timeline.isLoading ? [] : model.timeline.rowIDs, initial: true) {
          model.rowsChanged()
        }
        .onChange(of: model.movement) { if let movement = model.movement { carryOut(movement.move, proxy) } }
      }
    }

    private func carryOut(_ move: TimelineScroll.Move, _ proxy: ScrollViewProxy) {
      switch move {
      case .stay: break
      case .toEnd(let animated):
        guard let last = model.timeline.rowIDs.last else { return }
        withAnimation(animated && !reducesMotion ? .default : nil) { proxy.scrollTo(last, anchor: .bottom) }
      case .to(let anchor):
        proxy.scrollTo(anchor.message, anchor: UnitPoint(x: 0, y: model.alignment(at: anchor)))
      case .toMiddle(let message): proxy.scrollTo(message, anchor: .center)
      }
    }
  }

  /// The height of a timeline, and whether its reader is at its end. A reader moves when the one changes without the
  /// other.
  private struct EndMeasure: Equatable, Sendable {
    /// The distance from the end below which its reader is there.
    static let near: CGFloat = 24

    let height: CGFloat
    let isAtEnd: Bool
    let isNearEnd: Bool
    let isAtStart: Bool
  }
#endif

#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Foundation
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// One conversation: its timeline, its banners, and its composer with the stored draft.
  ///
  /// ```swift
  /// ConversationScreen(client, conversation)
  /// ConversationScreen(client, conversation) { row in Text(row.text).bold() }                    // a text of your own
  /// ConversationScreen(client, conversation, replacing: .row) { row in Text(row.text) }          // a row of your own
  /// ```
  ///
  /// Another conversation is another screen: no state of the first one stays. **Experimental**: type-checked, and
  /// never run on a device.
  public struct ConversationScreen<Content: View>: View {
    private let client: ChatClient
    private let conversation: ConversationID
    private let message: MessageID?
    private let writer: ReplyWriter?
    /// The window's state of the conversation. Nil: none is kept.
    var place: (any KeptPlace)?
    /// The number of the opening in a ``ChatRoot``. The same message can be opened again.
    var opening: Int?
    /// The links of the app, by which the conversation is offered to Handoff. Nil: it is not.
    var links: SceneLinks?
    /// Whether the banner of the connection is shown. A ``ChatRoot`` shows it above its list too.
    var showsConnection = true
    private let content: (MessageRow) -> Content
    private let replaced: ReplacedPart

    /// - Parameters:
    ///   - message: a message that is sought. Nil: the newest are shown.
    ///   - writer: writes replies of an assistant. Nil: this app writes none, and shows no such action.
    ///   - replaced: the part that `content` draws: the text of a message that was not deleted, or a whole row, with
    ///     its files, its time and its status. The actions of a message stay the menu of its row.
    ///   - content: the text, or the row.
    public init(
      _ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil,
      writer: ReplyWriter? = nil, replacing replaced: ReplacedPart = .text,
      @ViewBuilder content: @escaping (MessageRow) -> Content
    ) {
      (self.client, self.conversation, self.message) = (client, conversation, message)
      (self.writer, self.content, self.replaced) = (writer, content, replaced)
    }

    public var body: some View {
      // Without the IDs, the first conversation's models would stay.
      ConversationLoader(
        client: client, conversation: conversation, message: message, place: place, links: links,
        showsConnection: showsConnection,
        writer: writer,
        content: content, replaced: replaced
      )
      .id(opening.map(String.init) ?? message?.rawValue ?? "").id(conversation)
    }
  }

  extension ConversationScreen where Content == MessageText {
    /// A screen whose messages are drawn by ``MessageText``.
    public init(
      _ client: ChatClient, _ conversation: ConversationID, around message: MessageID? = nil,
      writer: ReplyWriter? = nil
    ) {
      self.init(client, conversation, around: message, writer: writer) { row in MessageText(row, client) }
    }
  }

  /// Makes the models when the screen appears: SwiftUI makes views far more often than it shows them.
  private struct ConversationLoader<Content: View>: View {
    let client: ChatClient
    let conversation: ConversationID
    let message: MessageID?
    let place: (any KeptPlace)?
    let links: SceneLinks?
    let showsConnection: Bool
    let writer: ReplyWriter?
    let content: (MessageRow) -> Content
    let replaced: ReplacedPart
    @State private var model: ConversationScreenModel?

    var body: some View {
      Group {
        if let model {
          ConversationView(
            model: model, links: links, showsConnection: showsConnection, content: content, replaced: replaced
          )
        } else {
          ProgressView()
        }
      }
      .onAppear {
        if model == nil {
          model = ConversationScreenModel(
            client, conversation, around: message, place: place, writer: writer?.write,
            replies: writer?.replies ?? [], asked: writer?.asked)
        }
      }
    }
  }

  private struct ConversationView<Content: View>: View {
    @Bindable var model: ConversationScreenModel
    let links: SceneLinks?
    let showsConnection: Bool
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    let content: (MessageRow) -> Content
    let replaced: ReplacedPart

    var body: some View {
      VStack(spacing: 0) {
        if showsConnection { ConnectionBannerView(model.connection) }
        ContentNotice(content: model.content, client: model.client) { model.timeline.reload() }
        timeline
        if model.offersNewest {
          Button {
            model.tapNewest()
          } label: {
            Text(verbatim: model.client.label(.newest))
          }
        }
        if let refusal = model.timeline.refusal {
          HStack {
            NoticeLine(text: refusal.explanation, look: .failed)
            Spacer()
            Button {
              model.retryConversation()
            } label: {
              Text(verbatim: model.client.label(.retry))
            }
          }
          .padding(.horizontal)
        }
        if let problem = model.problem { NoticeLine(text: problem, look: .failed).padding(.horizontal) }
        MessageComposer(model.composer) { model.send() }
      }
      .navigationTitle(Text(verbatim: model.timeline.title))
      .userActivity(links?.activityType ?? "", element: links == nil ? nil : model.activity) {
        place, activity in
        links?.write(place, to: activity)
      }
      .sheet(item: explained) { message in ExplanationSheet(model: model, message: message.id) }
      .alert(
        Text(verbatim: model.held.question?.title ?? ""), isPresented: isAsked,
        presenting: model.held.question
      ) { _ in
        ForEach(HeldMessages.Answer.allCases, id: \.self) { answer in
          Button {
            model.held.answer(answer)
          } label: {
            Text(verbatim: model.client.text(answer.label))
          }
        }
      } message: { question in
        Text(verbatim: question.sentence ?? "")
      }
      .task { await model.run() }
    }

    private var timeline: some View {
      ScrollViewReader { proxy in
        ScrollView {
          // The window of rows is bounded: a lazy stack jumps when rows come in above it.
          VStack(spacing: 4) {
            if let above = model.content.above {
              NoticeLine(text: above, look: .quiet)
            }
            if let label = model.content.olderLabel {
              Button {
                model.timeline.loadOlder()
              } label: {
                Text(verbatim: label)
              }
            }
            ForEach(model.places) { place in
              MessageView(model: model, place: place, content: content, replaced: replaced)
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

    private var explained: Binding<ExplainedMessage?> {
      Binding { @MainActor in
        model.messageActions.info.map(ExplainedMessage.init)
      } set: { @MainActor message in
        model.messageActions.info = message?.id
      }
    }

    private var isAsked: Binding<Bool> {
      Binding { @MainActor in
        model.held.question != nil
      } set: { @MainActor isAsked in
        // Closing the question is not a decision.
        if !isAsked, model.held.question != nil { model.held.answer(.keepWaiting) }
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

  private struct ExplainedMessage: Identifiable {
    let id: MessageID
  }

  /// The reason why a message was not sent yet, and the time of its next attempt.
  private struct ExplanationSheet: View {
    let model: ConversationScreenModel
    let message: MessageID

    var body: some View {
      VStack(spacing: 16) {
        Text(verbatim: model.explanation ?? "")
        Button {
          model.messageActions.info = nil
        } label: {
          Text(verbatim: model.client.label(.done))
        }
      }
      .padding()
      .onChange(of: message, initial: true) { model.why.show(message) }
    }
  }
#endif

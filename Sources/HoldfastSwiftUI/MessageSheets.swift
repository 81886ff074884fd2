#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import Holdfast
  import HoldfastPresenters
  import SwiftUI

  /// The reason why a message was not sent yet, and the time of its next attempt.
  ///
  /// ```swift
  /// ExplanationView(message, in: client)
  /// ```
  ///
  /// **Experimental**: type-checked, and never run on a device.
  public struct ExplanationView: View {
    private let message: MessageID
    @State private var model: ExplanationModel

    /// The reason of a message, which is asked for again whenever it may have changed.
    public init(_ message: MessageID, in client: ChatClient) {
      self.message = message
      _model = State(initialValue: ExplanationModel(client))
    }

    public var body: some View {
      Text(verbatim: model.problem?.message ?? model.explanation?.sentence ?? "")
        .onChange(of: message, initial: true) { model.show(message) }
        .task { await model.run() }
    }
  }

  /// The question about held messages over a view.
  private struct HeldQuestionView<Content: View>: View {
    let client: ChatClient
    let content: Content
    @State var model: HeldModel

    var body: some View {
      content.heldQuestion(model, client).task { await model.run() }
    }
  }

  extension View {
    /// Asks about messages that have waited for long before they are sent (rule O16). ``ConversationScreen`` and
    /// `messageActions(_:writer:)` do this themselves: use it where an app has neither.
    public func heldMessagesQuestion(_ client: ChatClient) -> some View {
      HeldQuestionView(client: client, content: self, model: HeldModel(client))
    }

    /// Shows the sheet and the question that the actions on messages ask for.
    func messageSheets(_ actions: MessageActions, _ client: ChatClient) -> some View {
      let explained = Binding<ExplainedMessage?> { @MainActor in
        actions.info.map(ExplainedMessage.init)
      } set: { @MainActor message in
        actions.info = message?.id
      }
      return sheet(item: explained) { message in
        VStack(spacing: 16) {
          ExplanationView(message.id, in: client)
          Button(client.label(.done)) { actions.info = nil }
        }
        .padding()
      }
      .heldQuestion(actions.held, client)
    }

    func heldQuestion(_ held: HeldModel, _ client: ChatClient) -> some View {
      let isAsked = Binding { @MainActor in
        held.question != nil
      } set: { @MainActor isAsked in
        // Closing the question is not a decision.
        if !isAsked, held.question != nil { held.answer(.keepWaiting) }
      }
      return alert(
        Text(verbatim: held.question?.title ?? ""), isPresented: isAsked, presenting: held.question
      ) { _ in
        ForEach(HeldMessages.Answer.allCases, id: \.self) { answer in
          Button(client.text(answer.label)) { held.answer(answer) }
        }
      } message: { question in
        Text(verbatim: question.sentence ?? "")
      }
    }
  }

  private struct ExplainedMessage: Identifiable {
    let id: MessageID
  }
#endif

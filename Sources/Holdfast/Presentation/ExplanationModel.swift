import Foundation
import HoldfastCore
import HoldfastStore
import Observation

/// The reason why one message was not sent yet, for a view. The model asks again whenever the answer may have
/// changed, and at no other time.
///
/// ```swift
/// let why = ExplanationModel(client)
/// why.show(message.id)
/// Text(why.explanation?.sentence ?? "").task { await why.run() }
/// ```
@MainActor @Observable public final class ExplanationModel {
  /// The message to explain. Nil when no message is chosen.
  public private(set) var message: MessageID?
  /// The explanation of the message. Nil while there is no message, and until the first answer. If the store cannot be
  /// read, the last explanation stays.
  public private(set) var explanation: Explanation?
  /// Whether the first answer about the chosen message is awaited (rule H7).
  public private(set) var isLoading = false
  /// The reason why the message could not be read (rule V5). Nil once there is an answer.
  public private(set) var problem: ChatError?
  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private let changed = Signal()

  /// A model without a message. ``show(_:)`` chooses one.
  public init(_ client: ChatClient) { self.client = client }

  /// Chooses another message to explain, or none. Returns at once; ``run()`` brings the answer.
  public func show(_ message: MessageID?) {
    guard message != self.message else { return }
    self.message = message
    (explanation, problem, isLoading) = (nil, nil, message != nil)
    changed.raise()
  }

  /// Follows the message, the link and the outbox until the task is cancelled. Each change costs a read of a few rows.
  public func run() async {
    let subscription = client.store.changes.subscribe(changed, to: \.concernsStatuses)
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      ask()
      await changed.wait()
    }
  }

  private func ask() {
    guard let asked = message else { return }
    let failure: ChatError?
    do throws(ChatError) {
      let answer = try client.reader.explanation(of: asked)
      failure = nil
      if answer != explanation { explanation = answer }
    } catch {
      failure = error.localized(with: client.configuration.texts)
    }
    if problem != failure { problem = failure }
    if isLoading { isLoading = false }
  }
}

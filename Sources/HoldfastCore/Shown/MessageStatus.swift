import Foundation

/// The status of a message, or of an operation on one: delivered, being sent, or waiting, and for what (rules O1, O3,
/// O17). It never carries contents.
///
/// ```swift
/// Text(row.status.text ?? row.createdAt.formatted(date: .omitted, time: .shortened))
///   .foregroundStyle(row.status.state == .failed ? .red : .secondary)
/// ```
///
/// ``state`` is enough for most views. ``code`` and the numbers are more exact, for a view with its own texts:
///
/// ```swift
/// let line: String? = switch row.status.code {
/// case .offline: "Wird gesendet, sobald du online bist"
/// case .uploading: "Lädt hoch: \(row.status.progress?.formatted(.percent) ?? "")"
/// default: row.status.text
/// }
/// ```
///
/// ``MessageHandle/explain()`` explains the same value in a sentence. The status is derived from the store when it is
/// read. No column stores it, so that a crash cannot make it wrong.
public struct MessageStatus: Sendable, Codable, Hashable {
  /// The state of a message, for a view that shows it and code that depends on it.
  public enum State: String, Sendable, Codable, Hashable, CaseIterable {
    /// The message is in flight, or about to be: the connection is up, and the server's acknowledgement is awaited.
    case sending
    /// The message is stored and waits: for the connection, for another message, or for its next attempt.
    case queued
    /// The message has been queued for so long that its user is asked before it is sent (rule O16).
    case held
    /// The server has confirmed the message. Finished messages of others are always delivered.
    case delivered
    /// The message stopped, for ``MessageStatus/failure``. It is kept with its text until the user decides (rule O8).
    /// So is a reply whose writer failed: see ``MessageStatus/isComplete``.
    case failed
    /// The text is still arriving (rule H3).
    case streaming
    /// The text stopped before its end. The part that had arrived is stored.
    case interrupted
  }

  /// The look of the status line (rule O3).
  public enum Tone: String, Sendable, Codable, Hashable {
    /// Gray.
    case sending
    /// A yellow badge, also for a held message.
    case queued
    /// The plain time.
    case delivered
    /// Red, with an icon.
    case failed
  }

  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// No such message exists: it was deleted, taken back, or never here.
    public static let unknown = Code(rawValue: "unknown")
    /// The server has the message.
    public static let delivered = Code(rawValue: "delivered")
    /// The message is being written, here or elsewhere, and its text still grows.
    public static let streaming = Code(rawValue: "streaming")
    /// The message was interrupted while it was written.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The message was transmitted, and the server's answer is awaited.
    public static let awaitingAnswer = Code(rawValue: "awaitingAnswer")
    /// Nothing blocks the message: it is being sent.
    public static let sending = Code(rawValue: "sending")
    /// The message failed, for ``MessageStatus/failure``, and waits for its user.
    public static let failed = Code(rawValue: "failed")
    /// The message waited so long that its user is asked before it is sent.
    public static let held = Code(rawValue: "held")
    /// The app does not run the client.
    public static let notRunning = Code(rawValue: "notRunning")
    /// The device has no network.
    public static let offline = Code(rawValue: "offline")
    /// Another process of the app has the connection, and sends the message.
    public static let anotherProcessSends = Code(rawValue: "anotherProcessSends")
    /// The server does not answer, for ``MessageStatus/connectionFailure``. That is nil while the first answer is
    /// awaited.
    public static let reconnecting = Code(rawValue: "reconnecting")
    /// The server refuses the credentials: the app must give new ones.
    public static let signedOut = Code(rawValue: "signedOut")
    /// The disk is full: what the server sent could not be stored.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The store is protected until the device is unlocked.
    public static let storageLocked = Code(rawValue: "storageLocked")
    /// The store fails in another way.
    public static let storageFailed = Code(rawValue: "storageFailed")
    /// The server did not take the message, or asked to back off. The message is tried again at
    /// ``MessageStatus/nextAttempt``.
    public static let waitsForRetry = Code(rawValue: "waitsForRetry")
    /// The message's attachments are being uploaded, and the message follows them. ``MessageStatus/progress`` has the
    /// uploaded part.
    public static let uploading = Code(rawValue: "uploading")
    /// Another message, ``MessageStatus/waitsFor``, is sent first.
    public static let waitsForAnother = Code(rawValue: "waitsForAnother")
    /// An earlier message, ``MessageStatus/waitsFor``, has failed, and the messages behind it wait until its user
    /// decides.
    public static let waitsForFailed = Code(rawValue: "waitsForFailed")
    /// The entry is an operation on a message, ``MessageStatus/waitsFor``, that has failed or is held.
    public static let waitsForItsMessage = Code(rawValue: "waitsForItsMessage")
    /// The server refuses the whole conversation, for ``MessageStatus/failure``: none of its messages is tried.
    public static let conversationRefused = Code(rawValue: "conversationRefused")
    /// The message may have arrived, and the server is asked whether it did.
    public static let checking = Code(rawValue: "checking")
  }

  /// The state, which follows from ``code``.
  public private(set) var state: State
  /// The exact reason for the state.
  public let code: Code
  /// The line under the message, in English or by ``ChatConfiguration/texts``: "Sending...", "Queued - Will send when
  /// online", "Waiting to retry", "Failed - Tap to retry", "Held - Tap to decide", or "Interrupted" under a reply
  /// that was interrupted. Nil once the message is delivered: its time is shown instead.
  public package(set) var text: String?
  /// The look of that line.
  public private(set) var tone: Tone
  /// The number of attempts that failed by the message's own fault, while the message is queued (rule O7).
  public var attempts: Int
  /// The time of the next attempt, on the device's clock as it was when the wait began. A time that has passed means
  /// now. Nil when no attempt is planned, or when something else has to happen first.
  public var nextAttempt: Date?
  /// The part of the attachments that the server has, from 0 to 1. Nil unless the message waits for them.
  public var progress: Double?
  /// The reason why there is no connection. Nil when the connection is not the cause, or when nothing has failed
  /// yet.
  public var connectionFailure: ConnectionFailure.Reason?
  /// The reason why the message failed, or why its conversation is refused. Nil when neither is the case.
  public package(set) var failure: FailureReason?
  /// The oldest message of the conversation that is sent before this message. Nil unless the message waits for
  /// another.
  public var waitsFor: MessageID?

  /// A status with these values, for previews and tests. The texts are English.
  public init(
    _ code: Code, attempts: Int = 0, nextAttempt: Date? = nil, progress: Double? = nil,
    connectionFailure: ConnectionFailure.Reason? = nil, failure: FailureReason? = nil,
    waitsFor: MessageID? = nil
  ) {
    self.code = code
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.progress = progress
    self.connectionFailure = connectionFailure
    self.failure = failure
    self.waitsFor = waitsFor
    (state, tone) = (State(code), Tone(code))
    localizeInEnglish()
  }

  /// Whether the text is complete. A reply whose writer failed is not complete either.
  public var isComplete: Bool {
    switch state {
    case .streaming, .interrupted: false
    case .failed: failure?.code != .replyFailed
    case .sending, .queued, .held, .delivered: true
    }
  }

  /// Whether the message is in the outbox, or has failed.
  package var isUnsent: Bool {
    switch state {
    case .sending, .queued, .held, .failed: true
    case .delivered, .streaming, .interrupted: false
    }
  }
}

extension MessageStatus: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    failure?.localize(with: texts)
    text = ChatConfiguration.ShownText.Status(self).map { texts(.status($0)) }
  }
}

extension MessageStatus.State {
  fileprivate init(_ code: MessageStatus.Code) {
    switch code {
    case .streaming: self = .streaming
    case .interrupted: self = .interrupted
    case .unknown, .delivered: self = .delivered
    case .awaitingAnswer, .sending, .uploading, .checking: self = .sending
    case .held: self = .held
    case .failed: self = .failed
    default: self = .queued
    }
  }
}

extension MessageStatus.Tone {
  /// Gray is for messages that are sent automatically while the server answers.
  fileprivate init(_ code: MessageStatus.Code) {
    switch code {
    case .awaitingAnswer, .sending, .uploading, .checking, .waitsForAnother: self = .sending
    case .failed: self = .failed
    case .unknown, .delivered, .streaming, .interrupted: self = .delivered
    default: self = .queued
    }
  }
}

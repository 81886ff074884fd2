import Foundation

/// How a message, or an operation on one, stands: delivered, on its way, or waiting, and for what (SPEC O1, O17). It
/// is a code with its numbers, and never carries contents.
///
/// A row of the timeline and the message's explanation have the same value. The texts beside it, in
/// ``Explanation/sentence`` and in the row, are in English or by ``ChatConfiguration/texts``. A view can also make its own
/// from the value:
///
/// ```swift
/// switch row.standing.code {
/// case .offline: "Wird gesendet, sobald du online bist"
/// case .uploading: "Lädt hoch: \(row.standing.progress?.formatted(.percent) ?? "")"
/// default: row.status
/// }
/// ```
public struct MessageStanding: Sendable, Codable, Hashable {
  /// A code that can be compared. Codes are added over time, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Codable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// No such message exists: it was deleted, taken back, or never here.
    public static let unknown = Code(rawValue: "unknown")
    /// The server has the message.
    public static let delivered = Code(rawValue: "delivered")
    /// The message is being written, here or elsewhere, and its text goes on.
    public static let streaming = Code(rawValue: "streaming")
    /// The message was cut off while it was written.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The message has left, and the server's answer is awaited.
    public static let onItsWay = Code(rawValue: "onItsWay")
    /// Nothing stands in the message's way: it leaves at this moment.
    public static let leaving = Code(rawValue: "leaving")
    /// The message failed, for ``MessageStanding/failure``, and waits for its user.
    public static let failed = Code(rawValue: "failed")
    /// The message waited so long that its user is asked before it is sent.
    public static let held = Code(rawValue: "held")
    /// The app does not run the client.
    public static let notRunning = Code(rawValue: "notRunning")
    /// The device has no network.
    public static let offline = Code(rawValue: "offline")
    /// Another process of the app has the connection, and sends the message.
    public static let anotherProcessSends = Code(rawValue: "anotherProcessSends")
    /// The server does not answer, for ``MessageStanding/linkFailure``. That is nil while the first answer is awaited.
    public static let reconnecting = Code(rawValue: "reconnecting")
    /// The server refuses the credentials: the app must give new ones.
    public static let signedOut = Code(rawValue: "signedOut")
    /// The disk is full: what the server sent could not be stored.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The store is protected until the device is unlocked.
    public static let storageLocked = Code(rawValue: "storageLocked")
    /// The store fails in another way.
    public static let storageFailed = Code(rawValue: "storageFailed")
    /// The server did not take the message, or asked for patience. The message is tried again at
    /// ``MessageStanding/nextAttempt``.
    public static let waitsForRetry = Code(rawValue: "waitsForRetry")
    /// The message's attachments are on their way to the server, and the message follows them. How far they are is in
    /// ``MessageStanding/progress``.
    public static let uploading = Code(rawValue: "uploading")
    /// Another message, ``MessageStanding/waitsFor``, goes first.
    public static let waitsForAnother = Code(rawValue: "waitsForAnother")
    /// An earlier message, ``MessageStanding/waitsFor``, has failed, and the messages behind it wait until its user
    /// decides.
    public static let waitsForFailed = Code(rawValue: "waitsForFailed")
    /// The entry is an operation on a message, ``MessageStanding/waitsFor``, that has failed or is held.
    public static let waitsForItsMessage = Code(rawValue: "waitsForItsMessage")
    /// The server refuses the whole conversation, for ``MessageStanding/failure``: none of its messages is tried.
    public static let conversationRefused = Code(rawValue: "conversationRefused")
    /// The message may have arrived, and the server is asked whether it did.
    public static let lookedUp = Code(rawValue: "lookedUp")
  }

  /// The kind of standing, for code that handles it.
  public var code: Code
  /// The number of attempts that failed by the message's own fault, while the message is queued (SPEC O7).
  public var attempts: Int
  /// The time of the next attempt, on the device's clock as it was when the wait began. A time that has passed means
  /// now. Nil when no attempt is planned, or when something else has to happen first.
  public var nextAttempt: Date?
  /// The part of the attachments that the server has, from 0 to 1. Nil unless the message waits for them.
  public var progress: Double?
  /// The reason why there is no connection. Nil when the connection is not the cause, or when nothing has failed
  /// yet.
  public var linkFailure: ConnectionFailure.Reason?
  /// The reason why the message failed, or why its conversation is refused. Nil when neither is the case.
  public var failure: FailureReason?
  /// The oldest message of the conversation that goes before this message. Nil unless the message waits for
  /// another.
  public var waitsFor: MessageID?

  /// A standing with these values, for previews and tests.
  public init(
    _ code: Code, attempts: Int = 0, nextAttempt: Date? = nil, progress: Double? = nil,
    linkFailure: ConnectionFailure.Reason? = nil, failure: FailureReason? = nil, waitsFor: MessageID? = nil
  ) {
    self.code = code
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.progress = progress
    self.linkFailure = linkFailure
    self.failure = failure
    self.waitsFor = waitsFor
  }

  /// The delivery state of a message that stands like this (SPEC O1).
  package var delivery: Delivery {
    switch code {
    case .unknown, .delivered, .streaming, .interrupted: .delivered
    case .onItsWay, .leaving, .uploading, .lookedUp: .sending
    case .held: .held
    case .failed: failure.map(Delivery.failed) ?? .queued
    default: .queued
    }
  }
}

/// All English texts that the engine shows, beside the sentences of errors, which stand where they are thrown.
///
/// The catalogue is in the lowest target because the reason why a message failed is decided down here and stored with
/// its sentence, and because the store words the headings of what is exported. Each text is made from a code with its
/// numbers, which the shown values carry too.
package enum ShownTexts {}

/// How a message stands (SPEC O3, O8, O9, O16, O17).
extension ShownTexts {
  /// The text under a message. Nil when there is nothing to say: its time stands there.
  package static func status(of standing: MessageStanding) -> String? {
    switch standing.code {
    case .unknown, .delivered, .streaming: nil
    case .interrupted: "Interrupted"
    case .onItsWay, .leaving: "Sending..."
    case .uploading: "Uploading..."
    case .lookedUp: "Checking with the server..."
    case .waitsForRetry: "Waiting to retry"
    case .waitsForAnother: "Waiting for an earlier message"
    case .waitsForFailed: "Queued - Waits for the message that failed"
    case .waitsForItsMessage: "Waits for its message"
    case .conversationRefused: "Queued - The conversation takes no messages"
    case .held: "Held - Tap to decide"
    case .failed where standing.failure?.code == .outcomeUnknown: "Unknown - Tap to decide"
    case .failed where standing.failure?.code == .replyFailed: "Failed"
    case .failed: "Failed - Tap to retry"
    case .anotherProcessSends: "Queued - Another part of the app sends it"
    case .signedOut: "Queued - Will send when signed in"
    case .storageFull: "Queued - The disk is full"
    case .storageLocked: "Queued - Will send when the device is unlocked"
    case .storageFailed: "Queued - The store on this device fails"
    default: "Queued - Will send when online"
    }
  }

  /// The text under a message to which something was done: "Edit queued - Will send when online".
  package static func status(of kind: MessageOperation.Kind, _ standing: MessageStanding) -> String {
    guard let status = status(of: standing) else { return noun(kind) }
    return "\(noun(kind)) \(status.prefix(1).lowercased())\(status.dropFirst())"
  }

  private static func noun(_ kind: MessageOperation.Kind) -> String {
    switch kind {
    case .edit: "Edit"
    case .delete: "Deletion"
    case .react: "Reaction"
    case .unreact: "Removal of a reaction"
    }
  }

  /// The explanation of how a message stands.
  package static func sentence(of standing: MessageStanding) -> String {
    switch standing.code {
    case .unknown: "This message does not exist."
    case .delivered: "The message has been delivered."
    case .streaming: "The message is being written."
    case .interrupted: "The message was cut off while it was written."
    case .onItsWay: "The message is on its way to the server."
    case .leaving: "The message is about to be sent."
    case .uploading: "The attachments are on their way to the server. The message follows."
    case .lookedUp: "The message may have arrived. The app is asking the server."
    case .waitsForRetry: "The server could not accept the message. It is sent again automatically."
    case .waitsForAnother: "An earlier message of the conversation is sent first."
    case .waitsForFailed: "An earlier message of the conversation has failed. Retry or delete it first."
    case .waitsForItsMessage:
      "It waits for its message, which has failed or is held. Decide about that first."
    case .conversationRefused, .failed: standing.failure?.explanation ?? ""
    case .held: "The message has waited for a long time. Decide whether to send it."
    case .notRunning: "The message is sent when the app is connected again."
    case .offline: "This message will send automatically when you're back online."
    case .anotherProcessSends: "Another part of the app sends the message."
    case .signedOut: "You are signed out. Sign in to send the message."
    case .storageFull: "The disk is full. Free some space to send the message."
    case .storageLocked: "The message is sent when the device is unlocked."
    case .storageFailed: "The store on this device fails. The message is sent again automatically."
    default: sentence(on: standing.linkFailure)
    }
  }

  private static func sentence(on failure: LinkFailure.Reason?) -> String {
    switch failure {
    case nil, .unauthorized, .storage: "The app is connecting to the server."
    case .unreachable: "The server cannot be reached."
    case .timedOut: "The server did not answer in time."
    case .insecure:
      "No secure connection can be made. Check the date, and whether the network asks for a login."
    case .unavailable: "The server is not available at the moment."
    case .incompatible: "The server does not understand this version of the app."
    }
  }
}

/// Why a message failed. The sentence is stored with the message.
extension ShownTexts {
  package static let attachmentDamaged =
    "An attachment can no longer be read. Take it out, or add it again."
  package static let attachmentsNotCarried = "Attachments cannot be sent here."
  package static let attachmentsNotFetched = "Attachments cannot be fetched here."
  package static let outcomeUnknown = "It may have been delivered. Send it again?"
  package static let tooLongToSend = "This message is too long to be sent."
  package static let tooLong = "This message is longer than the server accepts."

  package static func attemptsSpent(_ attempts: Int) -> String {
    "The server failed to accept the message \(attempts) times."
  }

  package static func interruptedTooOften(_ ends: Int) -> String {
    "The app ended \(ends) times while this message was being sent."
  }
}

/// Banners (SPEC D10, D11, N2, O5) and notices (SPEC R5).
extension ShownTexts {
  package static let connected = "Connected"
  package static let reconnecting = "Reconnecting..."
  package static let conversationNotFound = "Conversation not found"

  package static func offline(queued: Int) -> String {
    switch queued {
    case 0: "Offline - Messages will send when reconnected"
    case 1: "Offline - 1 message queued"
    default: "Offline - \(queued) messages queued"
    }
  }

  /// The progress of a long queue. The message that is on its way counts as sent.
  package static func sending(sent: Int, total: Int) -> String {
    "Sending \(min(sent + 1, total)) of \(total)"
  }

  package static func draftBanner(_ kind: DraftBanner.Kind, _ age: DraftBanner.Age) -> String {
    switch kind {
    case .recovered: "Recovered draft • \(words(age))"
    case .old: "Draft from \(words(age)) - keep it?"
    case .discarded: "Draft discarded"
    }
  }

  package static func words(_ age: DraftBanner.Age) -> String {
    func ago(_ count: Int, _ unit: String) -> String {
      count == 1 ? "1 \(unit) ago" : "\(count) \(unit)s ago"
    }
    return switch age {
    case .justNow: "just now"
    case .minutes(let count): ago(count, "minute")
    case .hours(let count): ago(count, "hour")
    case .yesterday: "yesterday"
    case .days(let count): ago(count, "day")
    }
  }
}

/// Excerpts in a list, and the headings of an export (SPEC S8).
extension ShownTexts {
  package static let messageDeleted = "Message deleted"
  package static let image = "Image"
  package static let video = "Video"
  package static let draft = "Draft"
  package static let unfinishedEdit = "Unfinished edit"
  package static let unsentEdit = "Edit that was not sent"
  package static let unsentMessage = "Not sent"
}

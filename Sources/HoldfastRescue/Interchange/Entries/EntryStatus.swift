/// The status of delivery that an entry of a file states, in the words of any app. Pure.
enum EntryStatus: Equatable {
  /// The message was sent, was read, or was received.
  case sent
  /// The message waits to be sent.
  case waiting
  case failed
  /// The message was being written when the file was made.
  case unfinished
  /// The user has withdrawn the message.
  case withdrawn
  /// The entry has an unknown word, or a number.
  case unknown

  /// Whether the user still has to send the message.
  var isUnsent: Bool { self == .waiting || self == .failed || self == .unfinished }

  init(word: String) {
    let plain = LooseFields.plain(word)
    self = Self.words.first { $0.words.contains(plain) }?.status ?? .unknown
  }

  private static let words: [(status: EntryStatus, words: Set<String>)] = [
    (
      .sent,
      [
        "sent", "delivered", "read", "seen", "received", "success", "succeeded", "successful", "complete",
        "completed",
        "done", "finished", "finishedsuccessfully", "final", "ok", "confirmed", "acknowledged", "acked",
        "synced",
        "displayed", "opened", "played", "stored", "published", "accepted", "deliveredtoserver",
        "sentsuccessfully",
      ]
    ),
    (
      .waiting,
      [
        "queued", "pending", "sending", "waiting", "unsent", "notsent", "outgoing", "enqueued", "scheduled",
        "retrying",
        "uploading", "offline", "notsentyet", "toberesent", "tosend", "local", "localonly", "unsynced",
        "notsynced",
        "inqueue", "submitting", "waitingfornetwork", "waitingtosend", "pendingsend",
        "paused", "held", "inflight", "resending", "posting", "dispatching",
      ]
    ),
    (
      .failed,
      [
        "failed", "failure", "error", "errored", "undelivered", "notdelivered", "undeliverable", "rejected",
        "refused",
        "sendfailed", "failedtosend", "sendingfailed", "senderror", "timeout", "timedout", "expired",
        "bounced",
        "permanentlyfailed", "failedpermanently", "permanentfailure", "deliveryfailed", "failedpermanent",
        "blocked",
        "parked", "stopped",
      ]
    ),
    (
      .unfinished,
      [
        "streaming", "interrupted", "inprogress", "incomplete", "partial", "unfinished", "generating",
        "aborted",
        "typing", "writing", "thinking", "processing", "running", "finishedpartialcompletion", "truncated",
        "cutoff",
        "searching",
      ]
    ),
    (
      .withdrawn,
      [
        "cancelled", "canceled", "deleted", "removed", "discarded", "withdrawn", "revoked", "recalled",
        "unsend",
        "retracted", "dismissed", "cancelledbyuser", "usercancelled", "usercanceled", "trashed",
      ]
    ),
  ]
}

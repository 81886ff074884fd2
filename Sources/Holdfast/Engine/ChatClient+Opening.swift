import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Opens the store as
  /// ``init(storage:transport:user:environment:path:retry:limits:attachments:history:protectedData:)`` does, and waits while it
  /// is protected because the device is locked (SPEC P4).
  ///
  /// ```swift
  /// let client = try await ChatClient.open(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice", protectedData: protectedData)
  /// ```
  ///
  /// It tries at once, and again each time that `protectedData` says something. Nothing polls.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, but `storageLocked`; `CancellationError`.
  public static func open(
    storage: StorageLocation, transport: any Transport, user: UserID, protectedData: ProtectedData,
    environment: ChatEnvironment = ChatEnvironment(), path: NetworkPath = NetworkPath(),
    retry: RetryPolicy = RetryPolicy(), limits: OutboxLimits = OutboxLimits(),
    attachments: AttachmentLimits = AttachmentLimits(), history: HistoryLimits = HistoryLimits()
  ) async throws -> ChatClient {
    try await open(with: protectedData, environment) {
      try ChatClient(
        storage: storage, transport: transport, user: user, environment: environment, path: path,
        retry: retry, limits: limits, attachments: attachments, history: history, protectedData: protectedData
      )
    }
  }

  /// The same with any way to make one.
  package static func open(
    with protectedData: ProtectedData, _ environment: ChatEnvironment,
    _ make: @Sendable () throws -> ChatClient
  ) async throws -> ChatClient {
    // Before the first look, so that nothing falls between the two.
    let signal = Signal()
    let subscription = protectedData.subscribe(signal)
    defer { protectedData.unsubscribe(subscription) }
    while true {
      do {
        return try make()
      } catch let error as ChatError where error.code == .storageLocked {
        environment.logger.info("store is locked; waiting")
      }
      await signal.wait()
      try Task.checkCancellation()
    }
  }

  /// What failed while the files were protected is tried again when they are not.
  func followProtectedData() async {
    let signal = Signal()
    let subscription = protectedData.subscribe(signal)
    defer { protectedData.unsubscribe(subscription) }
    while !Task.isCancelled {
      await signal.wait()
      guard !Task.isCancelled, protectedData.isAvailable else { continue }
      goOn()
    }
  }

  /// What kept the store from being used is over: nothing that failed by it waits for its time.
  package func goOn() {
    drafts.goOn()
    link.nudge()
    replies.tryAgain()
    fetchesDoor.ring()
    // What could not be read before is read now.
    var changes = Changes()
    changes.isForeign = true
    store.changes.publish(changes)
  }
}

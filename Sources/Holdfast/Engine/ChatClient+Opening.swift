import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Opens the store as ``init(storage:transport:user:configuration:)`` does, and waits while it is protected because the
  /// device is locked (SPEC P4).
  ///
  /// ```swift
  /// let client = try await ChatClient.open(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice",
  ///   configuration: ChatConfiguration(protectedData: protectedData))
  /// ```
  ///
  /// It tries at once, and again after each change of ``ChatConfiguration/protectedData``. Nothing polls.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, but `storageLocked`; `CancellationError`.
  public static func open(
    storage: StorageLocation, transport: any Transport, user: UserID, configuration: ChatConfiguration
  ) async throws -> ChatClient {
    try await open(with: configuration.protectedData, configuration.environment) {
      try ChatClient(storage: storage, transport: transport, user: user, configuration: configuration)
    }
  }

  /// The same, with the client that `make` opens.
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
    let protectedData = configuration.protectedData
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

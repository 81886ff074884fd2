import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension ChatClient {
  /// Opens the store as ``init(storage:transport:user:configuration:)`` does. While the store is protected because the
  /// device is locked, the call waits (SPEC P4).
  ///
  /// ```swift
  /// let client = try await ChatClient.open(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice",
  ///   configuration: ChatConfiguration(protectedData: protectedData))
  /// ```
  ///
  /// The call tries at once, and again after each change of ``ChatConfiguration/protectedData``. Nothing polls.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, except `storageLocked`; `CancellationError`.
  public static func open(
    storage: StorageLocation, transport: any Transport, user: UserID, configuration: ChatConfiguration
  ) async throws -> ChatClient {
    try await open(with: configuration.protectedData, configuration.environment) {
      try ChatClient(storage: storage, transport: transport, user: user, configuration: configuration)
    }
  }

  /// Opens the client that `make` returns, and waits while its store is locked.
  package static func open(
    with protectedData: ProtectedData, _ environment: ChatEnvironment,
    _ make: @Sendable () throws -> ChatClient
  ) async throws -> ChatClient {
    // The subscription comes before the first try, so that no change is missed.
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

  /// Tries failed work again whenever protected files become available.
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

  /// Tries failed work again at once, because the store can be used again.
  package func goOn() {
    drafts.goOn()
    link.nudge()
    replies.tryAgain()
    fetchesDoor.ring()
    // Values that could not be read before are read now.
    var changes = Changes()
    changes.isForeign = true
    store.changes.publish(changes)
  }
}

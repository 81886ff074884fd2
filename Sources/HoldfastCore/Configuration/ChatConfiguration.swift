/// The settings of a client. Each has the recommended value by default.
///
/// ```swift
/// var configuration = ChatConfiguration()
/// configuration.retry.delays = [.seconds(1), .seconds(3), .seconds(10)]
/// configuration.history = ChatConfiguration.HistoryLimits(perConversation: 5_000)
/// let client = try ChatClient(
///   storage: .applicationSupport("alice"), transport: transport, user: "alice", configuration: configuration)
/// ```
public struct ChatConfiguration: Sendable {
  /// The waits between attempts, and between connections.
  public var retry: RetryPolicy
  /// The room in the outbox, and the age at which the user is asked before a message leaves.
  public var outbox: OutboxLimits
  /// The sizes of files.
  public var attachments: AttachmentLimits
  /// The number of messages that stay on this device. All of them by default.
  public var history: HistoryLimits
  /// The times at which drafts and places of windows are saved.
  public var saving: SaveIntervals
  /// Whether the store records the delivery and the failure of each own message, for an app that keeps its messages
  /// itself. ``OutboxHandle/nextDeliveries(after:limit:)`` reads them. Nil leaves the choice as it was stored last,
  /// which is no for a new store.
  ///
  /// The choice is the store's: a share extension that gives nil records for its app. Set it at the first launch, and
  /// at each later one. A message that was delivered or had failed before is not recorded, and one that was unsent at
  /// that moment is.
  public var recordsDeliveries: Bool?
  /// Whether the device has a network. By default it always has one.
  public var path: NetworkPath
  /// Whether the device's protected files can be read. By default they always can.
  public var protectedData: ProtectedData
  /// Clock, IDs, randomness, executor and logger.
  public var environment: ChatEnvironment

  /// The recommended settings, except for those that are given.
  public init(
    retry: RetryPolicy = RetryPolicy(), outbox: OutboxLimits = OutboxLimits(),
    attachments: AttachmentLimits = AttachmentLimits(), history: HistoryLimits = HistoryLimits(),
    saving: SaveIntervals = SaveIntervals(), recordsDeliveries: Bool? = nil,
    path: NetworkPath = NetworkPath(), protectedData: ProtectedData = ProtectedData(),
    environment: ChatEnvironment = ChatEnvironment()
  ) {
    self.retry = retry
    self.outbox = outbox
    self.attachments = attachments
    self.history = history
    self.saving = saving
    self.recordsDeliveries = recordsDeliveries
    self.path = path
    self.protectedData = protectedData
    self.environment = environment
  }
}

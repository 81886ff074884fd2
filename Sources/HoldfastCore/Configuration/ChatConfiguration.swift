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
  /// itself. ``OutboxHandle/deliveries(after:limit:)`` gives them. Nil leaves the choice as it was stored last,
  /// which is no for a new store.
  ///
  /// The choice is the store's: a share extension that gives nil records for its app. Set it at the first launch, and
  /// at each later one. A message that was delivered or had failed before is not recorded, and one that was unsent at
  /// that moment is.
  public var recordsDeliveries: Bool?
  /// Makes the texts that the engine shows, for an app in another language or with words of its own. The catalogue of
  /// English texts by default. ``ShownText/localized`` has German and Arabic ones too.
  ///
  /// ```swift
  /// configuration.texts = { text in
  ///   switch text {
  ///   case .status(.sending): "Wird gesendet …"
  ///   case .offline(queued: 0): "Offline"
  ///   case .offline(let queued): "Offline – \(queued) Nachrichten warten"
  ///   case .heldTitle(let messages): String(localized: "\(messages) messages wait")   // a catalogue of the app
  ///   default: text.english
  ///   }
  /// }
  /// ```
  ///
  /// Snapshots, rows and banners have each text beside its code and numbers. The closure is called for each text that
  /// is shown, on any thread, so it must be quick. It gives the same text for the same code, except when the user
  /// changes the language; what is shown follows with its next change.
  ///
  /// Not all texts come from here: see ``ShownText``.
  public var texts: @Sendable (ShownText) -> String
  /// The name of an account or an assistant, as the app knows it. Nil for one that the app does not know: its ID is
  /// shown then, or the assistant's name.
  ///
  /// ```swift
  /// configuration.displayName = { contacts.name(of: $0.rawValue) }
  /// ```
  ///
  /// Rows have the names beside the IDs, and a conversation without a title shows those of its other members. The
  /// closure is called for each name that is shown, on any thread, so it must be quick. A changed name is shown with
  /// the next change of the row or the title that contains it.
  public var displayName: @Sendable (UserID) -> String?
  /// Whether the device has a network. By default it always has one.
  public var path: NetworkPath
  /// Whether the device's protected files can be read. By default they always can.
  public var protectedData: ProtectedData
  /// Clock, IDs, randomness, executor and logger.
  public var environment: ChatEnvironment
  /// Whether the system stops a process whose windows are all in the background.
  package var suspendsApps = Self.systemSuspendsApps

  /// The recommended settings, except for those that are given.
  public init(
    retry: RetryPolicy = RetryPolicy(), outbox: OutboxLimits = OutboxLimits(),
    attachments: AttachmentLimits = AttachmentLimits(), history: HistoryLimits = HistoryLimits(),
    saving: SaveIntervals = SaveIntervals(), recordsDeliveries: Bool? = nil,
    texts: @escaping @Sendable (ShownText) -> String = { $0.english },
    displayName: @escaping @Sendable (UserID) -> String? = { _ in nil },
    path: NetworkPath = NetworkPath(), protectedData: ProtectedData = ProtectedData(),
    environment: ChatEnvironment = ChatEnvironment()
  ) {
    self.retry = retry
    self.outbox = outbox
    self.attachments = attachments
    self.history = history
    self.saving = saving
    self.recordsDeliveries = recordsDeliveries
    self.texts = texts
    self.displayName = displayName
    self.path = path
    self.protectedData = protectedData
    self.environment = environment
  }

  private static var systemSuspendsApps: Bool {
    #if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS)
      true
    #else
      false
    #endif
  }
}

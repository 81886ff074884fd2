import HoldfastCore
import HoldfastNetwork
import HoldfastStore
import HoldfastTransport
import Observation

/// The client of an app, from its launch to its end: the session opens the store, runs the client, and follows the
/// system.
///
/// ```swift
/// @main struct MessengerApp: App {
///   @State private var session = ChatSession(
///     storage: .applicationSupport("alice"), transport: WebSocketTransport(url: url) { token }, user: "alice")
///
///   var body: some Scene {
///     WindowGroup {
///       Group {
///         switch session.state {
///         case .opening: ProgressView()
///         case .locked: Text("Unlock this device to read your messages.")
///         case .failed(let problem): Text(problem.message)
///         case .ready(let client): ChatList(client: client)
///         }
///       }
///       .task { await session.run() }
///     }
///   }
/// }
/// ```
///
/// Each window calls ``run()``. The client runs as long as one of the calls does, so closing a window does not affect
/// the others. Beside the client, the session
/// - waits while the device is locked and the store cannot be read, and opens it once the device is unlocked;
/// - tries a store that does not open again, after pauses and whenever the app comes to the front;
/// - follows the network, unless the configuration has a ``NetworkPath`` that the app sets itself;
/// - saves what was typed whenever a window stops being active;
/// - suspends the client once all windows are in the background, after the messages that are in flight have been
///   answered or the time is up that the system grants. It resumes the client when a window comes back.
///
/// On macOS nothing suspends an app, so the session only saves. On watchOS no event reports the unlocking, so the
/// session tries again. On Linux it follows only the network.
///
/// Only the client's store survives the session. A crash loses no more than ``ChatClient`` says.
@MainActor @Observable public final class ChatSession {
  /// The state of the session.
  public enum State: Sendable {
    /// The store is being opened. This takes some milliseconds, and longer after an update of the app.
    case opening
    /// The store cannot be read until the device is unlocked.
    case locked
    /// The store does not open, for the reason in the error's sentence. The session tries again.
    case failed(ChatError)
    /// The client can be used.
    case ready(ChatClient)
  }

  /// The phase of a window.
  public enum Phase: Sendable, Hashable {
    /// The window is not shown.
    case background
    /// The window is shown, and does not react to the user.
    case inactive
    /// The window is in front.
    case active
  }

  /// The state of the session, for the app's first view.
  public private(set) var state: State = .opening
  /// The reason why typed texts could not be saved, or why the store could not be opened again, when the app changed
  /// its phase. The texts are still in their composers. Nil once it worked.
  public private(set) var problem: ChatError?

  @ObservationIgnored private let open: @Sendable () throws -> ChatClient
  @ObservationIgnored package let configuration: ChatConfiguration
  @ObservationIgnored private let followsNetwork: Bool
  @ObservationIgnored private let lifecycle: any AppLifecycle
  @ObservationIgnored private var phases = ScenePhases()
  @ObservationIgnored private var turns = TurnQueue()
  @ObservationIgnored private var endObserving: (@MainActor () -> Void)?
  /// The number of calls of ``withClient(_:)``, for which the client keeps running in the background.
  @ObservationIgnored private var holds = 0
  /// The time that the system has granted in the background.
  @ObservationIgnored private var time: BackgroundTime?
  /// Raised when the session has to check again what to do.
  @ObservationIgnored private let changed = Signal()
  /// The callers who wait until the client can be used.
  @ObservationIgnored private var waiting: [Signal] = []
  /// Whether the session has suspended the client.
  @ObservationIgnored private var isResting = false
  @ObservationIgnored private var hasComeToFront = false

  /// A session of an account. Nothing is opened before ``run()``.
  ///
  /// - Parameters:
  ///   - storage: the folder of the store. Each account has a folder of its own.
  ///   - transport: the adapter to the backend.
  ///   - user: the account.
  ///   - configuration: the settings of the client.
  public convenience init(
    storage: StorageLocation, transport: any Transport, user: UserID,
    configuration: ChatConfiguration = ChatConfiguration()
  ) {
    self.init(
      configuration,
      followsNetwork: transport.capabilities.needsNetwork && configuration.path.followsSystem,
      lifecycle: Self.systemLifecycle
    ) {
      try ChatClient(storage: storage, transport: transport, user: user, configuration: configuration)
    }
  }

  /// A session whose client, system and windows are those of a test.
  package init(
    _ configuration: ChatConfiguration, followsNetwork: Bool = false, lifecycle: any AppLifecycle,
    open: @escaping @Sendable () throws -> ChatClient
  ) {
    (self.configuration, self.followsNetwork) = (configuration, followsNetwork)
    (self.lifecycle, self.open) = (lifecycle, open)
  }

  private static var systemLifecycle: any AppLifecycle {
    #if canImport(Darwin)
      AppleLifecycle()
    #else
      ProcessLifecycle()
    #endif
  }

  /// The client, once the store is open.
  public var client: ChatClient? { if case .ready(let client) = state { client } else { nil } }

  /// Opens the store and runs the client until the task is cancelled. Each window calls it. The first call works, and
  /// the next one takes over when its task is cancelled.
  public func run() async {
    if turns.isEmpty { begin() }
    let turn = turns.join()
    defer {
      turns.leave(turn)
      if turns.isEmpty { end() }
    }
    while !Task.isCancelled {
      guard turns.isTurn(of: turn) else {
        await turn.wait()
        continue
      }
      await work()
    }
  }

  /// Waits until the client is ready, and keeps it running for as long as `body` runs, in the background too. Call it
  /// for a push or a background task.
  ///
  /// ```swift
  /// try await session.withClient { client in try client.outbox.health() }
  /// ```
  ///
  /// The client is not suspended meanwhile. So `body` must end before the system's time is up; one that waits for an
  /// outbox without a network would not.
  ///
  /// - Throws: what `body` throws; `CancellationError` when the task is cancelled before the client is ready.
  public func withClient<Value: Sendable>(
    _ body: @escaping @Sendable (ChatClient) async throws -> Value
  ) async throws -> Value {
    holds += 1
    changed.raise()
    defer {
      holds -= 1
      changed.raise()
    }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        await self.run()
        return nil
      }
      group.addTask { try await body(try await self.usableClient()) }
      defer { group.cancelAll() }
      while let value = try await group.next() {
        if let value { return value }
      }
      throw CancellationError()
    }
  }

  /// Tries at once to open a store that did not open, for a button beside the problem.
  public func retry() { changed.raise() }

  /// Reports a window's phase to the session. On Apple's systems the session follows the phases by itself.
  public func setPhase(_ phase: Phase, of scene: SceneID) {
    let hasMoved = phases.set(phase, of: scene)
    if phase != .active { save() }
    if hasMoved { move() } else if phase == .active { comeToFront() }
  }

  // MARK: The system

  private func begin() { endObserving = lifecycle.observe { [weak self] in self?.hear($0) } }

  private func end() {
    endObserving?()
    endObserving = nil
    save()
    endTime()
  }

  private func hear(_ event: AppEvent) {
    switch event {
    case .phase(let phase, let scene): setPhase(phase, of: scene)
    case .closed(let scene):
      save()
      if phases.close(scene) { move() }
    case .protectedData(let isAvailable): configuration.protectedData.set(isAvailable: isAvailable)
    case .terminating: save()
    }
  }

  /// The app came to the front, or went to the background.
  private func move() {
    guard phases.isInBackground else { return comeToFront() }
    if client != nil, wantsRest { askForTime() }
    changed.raise()
  }

  private func comeToFront() {
    hasComeToFront = true
    endTime()
    changed.raise()
  }

  private func save() {
    guard let client, !isResting else { return }
    note { () throws(ChatError) in try client.hardSave() }
  }

  @discardableResult private func note(_ body: () throws(ChatError) -> Void) -> Bool {
    do throws(ChatError) {
      try body()
      if problem != nil { problem = nil }
    } catch {
      if problem != error { problem = error }
    }
    return problem == nil
  }

  private func askForTime() { time = time ?? BackgroundTime(lifecycle, wake: changed) }

  private func endTime() {
    time?.end()
    time = nil
  }

  // MARK: The client

  private func work() async {
    guard let client = await openedClient() else { return }
    let (path, environment) = (configuration.path, configuration.environment)
    await withTaskGroup(of: Void.self) { group in
      if followsNetwork { group.addTask { await path.followSystem(environment: environment) } }
      group.addTask { await client.run() }
      group.addTask { await self.followPhases(of: client) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The client, opened unless it is open. Nil when the task was cancelled.
  private func openedClient() async -> ChatClient? {
    let protectedData = configuration.protectedData
    let subscription = protectedData.subscribe(changed)
    defer { protectedData.unsubscribe(subscription) }
    var faults = 0
    while client == nil, !Task.isCancelled {
      do {
        state = .ready(try await Self.opened(by: open).get())
        notifyUsable()
      } catch  where error.code == .storageLocked {
        state = .locked
        await changed.wait()
      } catch {
        state = .failed(error)
        faults += 1
        await changed.wait(until: nextTry(afterFault: faults, of: error), in: configuration.environment)
      }
    }
    return client
  }

  @concurrent private static func opened(
    by open: @Sendable () throws -> ChatClient
  ) async -> Result<ChatClient, ChatError> {
    Result { () throws(ChatError) in try Store.typed(open) }
  }

  /// The time of the next try. Nil for a store that stays unusable until somebody acts.
  private func nextTry(afterFault faults: Int, of error: ChatError) -> ChatEnvironment.Instant? {
    guard ![.storageNewer, .storageForeign, .storageDamaged].contains(error.code) else { return nil }
    let environment = configuration.environment
    return environment.uptime()
      + configuration.retry.reconnectDelay(afterFault: faults, dice: environment.random())
  }

  // MARK: The background

  private var wantsRest: Bool { phases.isInBackground && lifecycle.suspendsApps && holds == 0 }

  private func followPhases(of client: ChatClient) async {
    let protectedData = configuration.protectedData
    let subscription = protectedData.subscribe(changed)
    defer { protectedData.unsubscribe(subscription) }
    while !Task.isCancelled {
      let isDone = wantsRest ? await rest(client) : await wake(client)
      if isDone { await changed.wait() }
    }
  }

  /// Suspends the client, once nothing is in flight or the time is up. Returns false when the app came back meanwhile.
  private func rest(_ client: ChatClient) async -> Bool {
    guard !isResting else { return true }
    askForTime()
    let subscription = client.store.changes.subscribe(changed) {
      $0.link || $0.outbox || $0.concernsTimelines
    }
    defer { client.store.changes.unsubscribe(subscription) }
    while wantsRest, time?.isUp == false, await client.isBusy() { await changed.wait() }
    guard wantsRest, !Task.isCancelled else { return Task.isCancelled }
    isResting = true
    let outcome: ChatError?
    do throws(ChatError) {
      try await client.suspend()
      outcome = nil
    } catch { outcome = error }
    problem = outcome
    if wantsRest { endTime() }
    return wantsRest
  }

  /// Resumes the client. A store that cannot be opened again is tried after the next event.
  private func wake(_ client: ChatClient) async -> Bool {
    if isResting {
      do throws(ChatError) {
        try await client.resume()
        (isResting, problem) = (false, nil)
        notifyUsable()
      } catch { problem = error }
    } else if hasComeToFront {
      await client.reconnectNow()
    }
    hasComeToFront = false
    return !wantsRest
  }

  // MARK: Waiting for the client

  private func usableClient() async throws -> ChatClient {
    let signal = Signal()
    waiting.append(signal)
    defer { waiting.removeAll { $0 === signal } }
    while true {
      try Task.checkCancellation()
      if let client, !isResting { return client }
      await signal.wait()
    }
  }

  private func notifyUsable() { for signal in waiting { signal.raise() } }
}

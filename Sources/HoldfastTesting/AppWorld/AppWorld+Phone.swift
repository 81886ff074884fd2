import Foundation
import Holdfast
import HoldfastTransport
import Synchronization

extension AppWorld {
  /// A phone of an ``AppWorld``, with its files and its network. Its app can be launched, killed, and launched again
  /// on its files.
  ///
  /// ```
  ///            launch                    kill, or a fault
  ///   down ─────────────► running ─────────────────────► down
  ///    ▲                                                   │ after a fault, within five seconds
  ///    └───────────────────────────────────────────────────┘
  /// ```
  public final class Phone<App: Sendable>: Sendable {
    private struct State {
      var app: App?
      var gate: LaunchGate?
      /// Whether the app is supposed to run: it was launched, and has not been killed since.
      var isWanted = false
      var launches = 0
      var isOnline = true
      /// Whether a fault has cut the network.
      var isInTunnel = false
      var transports: [FaultyTransport] = []
    }

    /// The phone's name.
    public let name: String
    private let stage: Stage
    private let build: @Sendable (Launch) async throws -> App
    private let runApp: @Sendable (App) async -> Void
    private let path = NetworkPath(isUp: true)
    private let state = Mutex(State())
    private let wanted = Signal()

    init(
      _ name: String, on stage: Stage, launch: @escaping @Sendable (Launch) async throws -> App,
      run: @escaping @Sendable (App) async -> Void
    ) {
      (self.name, self.stage, build, runApp) = (name, stage, launch, run)
    }

    /// Whether the app is running.
    public var isRunning: Bool { state.withLock { $0.app != nil && $0.gate?.isOpen == true } }

    /// Launches the app, and returns it once it has started. Does nothing if the app is running.
    ///
    /// - Throws: a failure when it has not started within five minutes.
    @discardableResult
    public func launch() async throws -> App {
      state.withLock { $0.isWanted = true }
      wanted.raise()
      return try await app()
    }

    /// The running app. After a fault has killed it, the next launch, once it has started.
    ///
    /// - Throws: a failure when none has started within five minutes.
    public func app() async throws -> App {
      try await stage.wait(for: "\(name)'s app to run") { self.isRunning }
      guard let app = state.withLock({ $0.app }) else { throw Unmet("\(name)'s app does not run.") }
      return app
    }

    /// Does something in the running app, as its user does.
    ///
    /// - Returns: the result of `body`. Nil when a fault has killed the app meanwhile: its files show whether it was
    ///   done.
    /// - Throws: an error of `body` in an app that was not killed.
    public func use<Value: Sendable>(_ body: (App) async throws -> Value) async throws -> Value? {
      let app = try await app()
      let gate = state.withLock { $0.gate }
      do {
        let value = try await body(app)
        return gate?.isOpen == true ? value : nil
      } catch {
        if gate?.isOpen == true { throw error }
        return nil
      }
    }

    /// Ends the app as `kill -9` does: from this moment, it no longer reaches its files or the network. It stays
    /// down until ``launch()``.
    public func kill() async throws {
      state.withLock { $0.isWanted = false }
      end("is killed")
      try await stage.wait(for: "\(name)'s app to end") { self.state.withLock { $0.gate } == nil }
    }

    /// Kills the app, and launches it again on its files.
    @discardableResult
    public func relaunch() async throws -> App {
      try await kill()
      return try await launch()
    }

    /// Whether the phone has a network. Initially true.
    public var isOnline: Bool {
      get { state.withLock { $0.isOnline } }
      set {
        state.withLock { $0.isOnline = newValue }
        stage.note("\(name) is \(newValue ? "online" : "offline")")
        followNetwork()
      }
    }

    private func followNetwork() {
      let (isUp, transports) = state.withLock { state in
        (state.isOnline && !state.isInTunnel, state.gate?.isOpen == true ? state.transports : [])
      }
      path.set(isUp: isUp)
      for transport in transports { transport.isOnline = isUp }
    }

    /// A transport through this phone's network, for the present launch.
    fileprivate func connect(_ base: any Transport) -> FaultyTransport {
      let (environment, seed) = (stage.environment, stage.scheduler.draw { $0.next() })
      let chances = stage.faults.network
      let transport = FaultyTransport(
        wrapping: base, seed: seed, chances: chances ?? FaultyTransport.Chances(), environment: environment)
      transport.strikesAtRandom = chances != nil && !stage.isCalm
      state.withLock { state in
        transport.isOnline = state.isOnline && !state.isInTunnel
        state.transports.append(transport)
      }
      return transport
    }

    private func end(_ how: String) {
      let (gate, transports) = state.withLock { state in
        defer { state.transports = [] }
        return (state.gate, state.transports)
      }
      guard gate?.close() == true else { return }
      stage.note("\(name) \(how)")
      for transport in transports { transport.isOnline = false }
    }
  }

  /// One launch of an app on a phone, with the arguments for opening its store.
  public struct Launch: Sendable {
    /// The phone's own folder, for files of the app beside its store. Its contents persist across launches.
    public let folder: URL
    /// The location of the store in that folder.
    public let storage: StorageLocation
    /// The settings of the world: its clock and its network. Change the other settings as the app does.
    public let configuration: ChatConfiguration
    /// The number of the launch, from 1.
    public let number: Int
    fileprivate let connect: @Sendable (any Transport) -> FaultyTransport

    /// A transport through the phone's network: offline when the phone is, with the world's faults.
    public func transport(_ base: any Transport) -> FaultyTransport { connect(base) }
  }
}

extension AppWorld.Phone: SimulatedDevice {
  func live() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.loseNetwork() }
      while !Task.isCancelled {
        guard state.withLock({ $0.isWanted }) else {
          await wanted.wait()
          continue
        }
        await liveOnce()
        let rest = Duration.milliseconds(stage.number(in: 500...5000))
        if state.withLock({ $0.isWanted }) { try? await stage.pass(rest) }
      }
      group.cancelAll()
    }
  }

  /// One launch, to its end.
  private func liveOnce() async {
    let number = state.withLock { state in
      state.launches += 1
      return state.launches
    }
    let gate = LaunchGate(folder: folder(number), successor: folder(number + 1)) { [weak self] in
      self?.strikes() ?? false
    } struck: { [weak self] how in
      self?.end("is killed \(how)")
    }
    state.withLock { $0.gate = gate }
    stage.note("\(name) is launched")
    do {
      let app = try await build(launch(number, gate))
      state.withLock { $0.app = app }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.runApp(app) }
        group.addTask { await gate.closed.wait() }
        await group.next()
        if gate.isOpen, !Task.isCancelled { end("has ended: what its `run` does has returned") }
        group.cancelAll()
      }
    } catch {
      if gate.isOpen {
        stage.fail("\(name)'s app did not start: \(error)")
        end("does not start")
      }
    }
    state.withLock { ($0.app, $0.gate) = (nil, nil) }
  }

  private func launch(_ number: Int, _ gate: LaunchGate) throws -> AppWorld.Launch {
    try FileManager.default.createDirectory(at: gate.folder, withIntermediateDirectories: true)
    var environment = stage.environment
    environment.gate = gate.gate
    var configuration = ChatConfiguration(path: path)
    configuration.environment = environment
    return AppWorld.Launch(
      folder: gate.folder, storage: .folder(gate.folder.appendingPathComponent("store")),
      configuration: configuration, number: number, connect: { self.connect($0) })
  }

  private func folder(_ launch: Int) -> URL {
    stage.folder.appendingPathComponent(name).appendingPathComponent("\(launch)")
  }

  private func strikes() -> Bool { !stage.isCalm && stage.chance(stage.faults.kill / 2) }

  /// Cuts and restores the network, until the world is calm.
  private func loseNetwork() async {
    guard let every = stage.faults.offlineEvery else { return }
    while !stage.isCalm, !Task.isCancelled {
      let gap = stage.number(in: 1...max(2, Int(every / .milliseconds(1)) * 2))
      do { try await stage.pass(.milliseconds(gap)) } catch { return }
      guard !stage.isCalm else { return }
      setTunnel(true)
      try? await stage.pass(.milliseconds(stage.number(in: 500...20_000)))
      setTunnel(false)
    }
  }

  private func setTunnel(_ isInTunnel: Bool) {
    guard state.withLock({ $0.isInTunnel }) != isInTunnel else { return }
    state.withLock { $0.isInTunnel = isInTunnel }
    stage.note("\(name) \(isInTunnel ? "loses its network" : "has its network again")")
    followNetwork()
  }

  func calmDown() {
    for transport in state.withLock({ $0.transports }) { transport.strikesAtRandom = false }
    setTunnel(false)
  }
}

/// The gate at every commit of one launch. Once it is closed, the launch no longer reaches the disk, and its files
/// are those that the next launch finds.
private final class LaunchGate: Sendable {
  let folder: URL
  /// Raised when the launch has ended.
  let closed = Signal()
  private let successor: URL
  private let strikes: @Sendable () -> Bool
  private let struck: @Sendable (String) -> Void
  private let commits = CommitSwitch()

  init(
    folder: URL, successor: URL, strikes: @escaping @Sendable () -> Bool,
    struck: @escaping @Sendable (String) -> Void
  ) {
    (self.folder, self.successor, self.strikes, self.struck) = (folder, successor, strikes, struck)
  }

  var isOpen: Bool { commits.isOn }

  var gate: CommitGate { CommitGate(willCommit: willCommit, didCommit: didCommit) }

  /// Ends the launch. Returns whether it was running.
  func close() -> Bool {
    guard commits.turnOff() else { return false }
    keepFiles()
    closed.raise()
    return true
  }

  /// Copies the present files. The databases of this launch close later, and closing tidies them up, which `kill -9`
  /// never does. The shared memory of a database does not survive its process.
  private func keepFiles() {
    let files = FileManager.default
    try? files.createDirectory(at: folder, withIntermediateDirectories: true)
    try? files.copyItem(at: folder, to: successor)
    for path in files.subpaths(atPath: successor.path) ?? [] where path.hasSuffix("-shm") {
      try? files.removeItem(at: successor.appendingPathComponent(path))
    }
  }

  private func willCommit() throws {
    try commits.require()
    if strikes() { struck("before a commit") }
    try commits.require()
  }

  private func didCommit() throws {
    if isOpen, strikes() { struck("behind a commit") }
    try commits.require()
  }
}

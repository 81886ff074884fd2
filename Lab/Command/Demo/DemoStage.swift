import ArgumentParser
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastCommand
import Processes
import Simulator

/// Starts the processes and the page of the demo, in the order of their dependencies, and stops them again.
struct DemoStage: Sendable {
  let folder: DemoFolder
  let backend: DemoBackend
  private let model: ModelChoice?
  let environment: ChatEnvironment
  private let board = Board()
  /// Distinguishes this run from the next run, whose launches count from 1 again.
  private let instance = String(DemoFolder.makeToken().prefix(8))
  private let serverAddress = RelayAddress()

  /// - Parameter model: the assistant's model. Nil: its built-in model.
  init(folder: DemoFolder, backend: DemoBackend, model: ModelChoice?, environment: ChatEnvironment) {
    self.folder = folder
    self.backend = backend
    self.model = model
    self.environment = environment
  }

  func run(port: UInt16, until signals: AsyncStream<Int32>, ready: @escaping @Sendable () -> Void)
    async throws
  {
    let server = makeServer()
    // The emulator starts empty, and a phone with an earlier run's messages would wait for them forever.
    if backend == .firestore { folder.removeFirestorePhones() }
    let handsets = Dictionary(
      uniqueKeysWithValues: backend.phones.map { ($0.part, makeHandset($0.part, $0.account)) })
    let pages = DemoServer(
      gatekeeper: Gatekeeper(port: port, session: folder.session), board: board, backend: backend,
      // Google's emulator would lose everything if it were killed.
      handsets: handsets, relay: backend == .firestore ? nil : server, picked: folder.picked)
    folder.removePicked()
    var quiet = environment
    // A browser opens sockets in advance, and does not use all of them.
    quiet.logger.logLevel = .warning
    let web = PageServer(environment: quiet) { await pages.answer(to: $0) }
    let (listening, announced) = AsyncStream.makeStream(of: Never.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await Complaint.onPort(Int(port), of: "127.0.0.1") {
          try await web.run(on: Int(port)) { _ in announced.finish() }
        }
      }
      // The port may be taken, so nothing else is started before the server listens on it.
      group.addTask { for await _ in listening {} }
      try await group.next()
      if let server { group.addTask { await server.run() } }
      for handset in handsets.values { group.addTask { await handset.process.run() } }
      group.addTask {
        try await start(server, handsets)
        ready()
        // The first task to end ends the demo, and this one has no reason to end.
        await Signal().wait()
      }
      group.addTask {
        for await _ in signals { return }
      }
      // The first task to end is the wait for a signal, or a task whose error ends the demo.
      let result = await group.nextResult()
      // The page keeps its last state, and shows that the demo has ended.
      board.close()
      await stop([server].compactMap(\.self) + handsets.values.map(\.process))
      group.cancelAll()
      try result?.get()
    }
  }

  /// Starts the server first, because the phones need its address.
  private func start(_ server: HostedProcess?, _ handsets: [String: Handset]) async throws {
    if let server {
      try await server.launch()
      let isRelay = backend == .relay
      let address = await server.wait { line -> URL? in
        isRelay ? RelayAddress.parse(line) : URL(string: "http://\(String(decoding: line, as: UTF8.self))")
      }
      guard let address else { throw Complaint(.failed, "The server did not start. See its error above.") }
      serverAddress.set(address)
    }
    for handset in handsets.values { try await handset.process.launch() }
  }

  private func stop(_ processes: [HostedProcess]) async {
    await withTaskGroup { group in
      for process in processes {
        group.addTask { await process.stop(grace: .seconds(2), environment: environment) }
      }
    }
  }

  private func makeServer() -> HostedProcess? {
    switch backend {
    case .relay: makeRelay()
    case .firestore: makePlain { _ in try ChildProcess.holdfast(["firestore-emulator"]) }
    case .matrix:
      makePlain { [folder, serverAddress] _ in
        try MatrixServer.start(
          in: folder.homeserver, port: serverAddress.port,
          users: DemoBackend.matrix.phones.map {
            MatrixAdministration.name(of: UserID(rawValue: MatrixPhone.user($0.account)))
          })
      }
    case .device: nil
    }
  }

  private func makeRelay() -> HostedProcess {
    let board = board, instance = instance, folder = folder, serverAddress = serverAddress
    return HostedProcess(
      makeChild: { _ in
        // Any free port at the first launch; later the port that the phones know.
        try ChildProcess.holdfast([
          "relay", "--quiet", "--host", "127.0.0.1", "--port", String(serverAddress.port),
          "--data", folder.relay.path, "--accounts-file", folder.accounts.path, "--exit-with-input",
          "--misbehaves",
        ])
      },
      publish: { status, launch, line in
        board.update("relay") { part in
          part.process = status
          part.launch = "\(instance)-\(launch)"
          // A new relay injects no faults, and a relay that has ended has none either.
          if status.phase != .running { part.snapshot = nil }
          if let line, FaultReport.isReport(line) { part.snapshot = line }
        }
      }
    )
  }

  /// A server whose only output is its address.
  private func makePlain(_ makeChild: @escaping @Sendable (Int) throws -> ChildProcess) -> HostedProcess {
    let board = board, instance = instance
    return HostedProcess(
      makeChild: makeChild,
      publish: { status, launch, _ in
        board.update("relay") { part in
          part.process = status
          part.launch = "\(instance)-\(launch)"
        }
      })
  }

  private func makeHandset(_ part: String, _ account: String) -> Handset {
    let board = board, instance = instance, folder = folder, serverAddress = serverAddress
    let (backend, model) = (backend, model?.phoneArguments ?? [])
    return Handset(
      makeChild: { settings in
        // Each backend has its own store: a message that waits for the relay is not delivered without one.
        let place =
          switch backend {
          case .relay: ["--data", folder.phone(part).path, "--relay", serverAddress.url]
          case .firestore:
            [
              "--data", folder.firestorePhone(part).path, "--firestore",
              serverAddress.url.replacing("http://", with: ""),
            ]
          case .matrix:
            [
              "--data", folder.matrixPhone(part).path, "--matrix",
              serverAddress.url.replacing("http://", with: ""),
            ] + backend.phones.flatMap { ["--member", backend.user($0.account)] }
          case .device:
            ["--data", folder.phone("device").path, "--conversation", "notes=Notes", "--member", account]
          }
        return try ChildProcess.holdfast(
          [
            "phone", "--name", backend.user(account), "--days-ahead", String(settings.daysAhead),
            "--assistant",
          ] + place + model + (settings.isAirplane ? ["--no-network"] : []),
          token: folder.tokens[account])
      },
      publish: { status, launch, line in
        board.update(part) { part in
          part.process = status
          part.launch = "\(instance)-\(launch)"
          if let line { part.snapshot = line }
        }
      })
  }
}

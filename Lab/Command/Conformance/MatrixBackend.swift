import Foundation
import Holdfast
import HoldfastMatrix
import HoldfastTesting
import HoldfastTransport
import Processes
import Synchronization

/// Synapse as a separate process, with a proxy between. It is killed by SIGKILL, and its record is read by its
/// administrator.
final class MatrixBackend: ConformanceBackend {
  let name = "matrix"
  let faults: Set<TransportConformance.Fault.Kind>
  private let address = RelayAddress()
  private let process: HostedProcess
  private let network: ProxiedNetwork
  private let administration: MatrixAdministration
  private let expired = Mutex<Set<UserID>>([])

  /// - Parameters:
  ///   - folder: an empty folder for the server's data.
  ///   - failsNetwork: whether the network fails on request. Its faults take minutes.
  init(folder: URL, failsNetwork: Bool) throws {
    let own: Set<TransportConformance.Fault.Kind> = [.kill, .expiredCredentials, .removedConversation]
    faults = failsNetwork ? own.union([.network]) : own
    let address = address
    network = try ProxiedNetwork { address.port }
    administration = MatrixAdministration { URL(string: address.url) }
    process = HostedProcess(
      // Any free port at the first launch, and later the port that the clients know.
      makeChild: { _ in try MatrixServer.start(in: folder, port: address.port) },
      publish: { _, _, _ in })
  }

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await network.run(beside: process, body)
  }

  func start(in environment: ChatEnvironment) async throws {
    try await process.launch()
    let line = await process.wait { URL(string: "http://\(String(decoding: $0, as: UTF8.self))") }
    guard let line else {
      throw ConnectionFailure(.unreachable, detail: "Synapse did not start.")
    }
    address.set(line)
    await network.isListening()
  }

  func kill() async throws {
    await process.kill()
    _ = await process.wait { _ -> Bool? in nil }
  }

  func account(_ name: String) async throws -> UserID {
    try await administration.register(name.lowercased())
  }

  func transport(for account: UserID) throws -> any Transport {
    guard let url = network.url(insteadOf: address.url) else {
      throw ConnectionFailure(.unreachable, detail: "Synapse has not started.")
    }
    let device = SignedInDevice(account, on: url)
    // Few events, so that syncs leave gaps. Silence is detected soon, so that a case with it takes seconds.
    return MatrixTransport(newest: 15, longestWait: .seconds(3), isOnThisMachine: true) {
      var login = try await device.login()
      if self.expired.withLock({ $0.contains(account) }) {
        (login.accessToken, login.refreshToken) = ("expired", nil)
      }
      return login
    } renewed: {
      await device.keep($0)
    }
  }

  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    guard let room = try await administration.room(of: conversation) else { return [] }
    return try await administration.messages(in: room)
  }

  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    guard let member = try await record(of: conversation).first?.sender else { return [:] }
    return try await administration.readMarks(in: conversation.rawValue, as: member)
  }

  func make(_ fault: TransportConformance.Fault) async throws {
    switch fault {
    case .network(let fault): await network.make(fault)
    case .expiredCredentials(let account): expired.withLock { _ = $0.insert(account) }
    case .removedConversation(let conversation): try await administration.remove(conversation.rawValue)
    default: break
    }
  }

  func behave() async throws {
    expired.withLock { $0 = [] }
    try await network.behave()
  }
}

/// A device of an account that signs in once, as an app does, and keeps its login.
actor SignedInDevice {
  private let account: UserID
  private let server: URL
  private let device = "device-\(ChatEnvironment().makeID())"
  private var kept: MatrixLogin?

  init(_ account: UserID, on server: URL) { (self.account, self.server) = (account, server) }

  func login() async throws -> MatrixLogin {
    if let kept { return kept }
    let name = MatrixAdministration.name(of: account)
    let login = try await MatrixLogin.password(name, of: name, on: server, device: device)
    if let kept { return kept }
    kept = login
    return login
  }

  func keep(_ login: MatrixLogin) { kept = login }
}

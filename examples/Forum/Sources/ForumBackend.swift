import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Synchronization

/// The forum for the suite that every transport passes: starts and kills the server, and says what it has.
final class ForumBackend: ConformanceBackend {
  let name: String
  let faults: Set<TransportConformance.Fault.Kind>
  private let forum: ForumServer
  private let forgetsNonces: Bool
  private let program: URL?
  private let proxy = Mutex<(proxy: NetworkProxy, address: String)?>(nil)
  private let port = Mutex<UInt16>(0)
  private let (orders, order) = AsyncStream<Order>.makeStream()

  /// What the server's task is to do. It says when it has done it.
  private enum Order: Sendable {
    case start(CheckedContinuation<Void, Never>)
    case kill(CheckedContinuation<Void, Never>)
  }

  /// - Parameter forgetsNonces: whether the transport has a fault that the suite finds: it does not look at the nonce that
  ///   comes back.
  /// - Parameter replays: whether the server's socket tells what happened before it was opened.
  /// - Parameter program: `holdfast`, whose proxy makes the network fail. Nil: the network does not fail.
  init(forgetsNonces: Bool = false, replays: Bool = true, program: URL? = nil) {
    self.program = program
    let own: Set<TransportConformance.Fault.Kind> = [
      .kill, .rejections, .busy, .lostAnswers, .expiredCredentials, .removedConversation,
    ]
    faults = program == nil ? own : own.union([.network])
    self.forgetsNonces = forgetsNonces
    forum = ForumServer(replays: replays)
    name = forgetsNonces ? "forum with a fault" : replays ? "forum" : "forum without replay"
  }

  func run(_ body: @Sendable () async throws -> Void) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask { await self.serve() }
        group.addTask { try await body() }
        try await group.next()
      }
    }
  }

  /// Runs the server from each start to the next kill. Its posts stay, as on a disk.
  private func serve() async {
    var orders = orders.makeAsyncIterator()
    while let next = await orders.next() {
      switch next {
      case .kill(let killed): killed.resume()
      case .start(let started): await serve(started, until: &orders)
      }
    }
  }

  private func serve(
    _ started: CheckedContinuation<Void, Never>, until orders: inout AsyncStream<Order>.Iterator
  ) async {
    let killed = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await self.forum.run(port: self.port.withLock { $0 }) { port in
          self.port.withLock { $0 = port }
          started.resume()
        }
      }
      let next = await orders.next()
      group.cancelAll()
      forum.hangUp()
      return next
    }
    if case .kill(let killed) = killed { killed.resume() }
  }

  func start(in environment: ChatEnvironment) async throws {
    await withCheckedContinuation { _ = order.yield(.start($0)) }
    guard let program, proxy.withLock({ $0 == nil }) else { return }
    let started = try NetworkProxy(program, to: port.withLock { $0 })
    let address = await started.address()
    proxy.withLock { $0 = (started, address) }
  }

  func kill() async throws {
    await withCheckedContinuation { _ = order.yield(.kill($0)) }
  }

  func account(_ name: String) async throws -> UserID { UserID(rawValue: name) }

  func transport(for account: UserID) throws -> any Transport {
    let address = proxy.withLock { $0?.address } ?? "127.0.0.1:\(port.withLock { $0 })"
    guard let url = URL(string: "http://\(address)") else { throw URLError(.badURL) }
    // Silence is found out soon, so that a case with it takes seconds.
    let forum = Forum(
      url: url, account: account.rawValue, forgetsNonces: forgetsNonces, pingInterval: .seconds(2))
    return forum.withFiles(self.forum.replays ? forum.transportWithHistory : forum.transportWithoutReplay)
  }

  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    forum.posts(in: conversation.rawValue).map { post in
      TransportConformance.Record(
        id: MessageID(rawValue: post.nonce ?? post.id), sender: UserID(rawValue: post.author),
        text: post.text, isDeleted: post.isDeleted,
        reactions: post.reactions.map { .init($0.value, from: UserID(rawValue: $0.by)) },
        attachments: forum.files(of: post).map(ChatAttachment.Checksum.init(of:)))
    }
  }

  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    let posts = forum.posts(in: conversation.rawValue)
    let nonces = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0.nonce ?? $0.id) })
    let marks = forum.readMarks(in: conversation.rawValue).map { reader, post in
      (UserID(rawValue: reader), MessageID(rawValue: nonces[post] ?? post))
    }
    return Dictionary(uniqueKeysWithValues: marks)
  }

  func make(_ fault: TransportConformance.Fault) async throws {
    switch fault {
    case .rejections(let count): forum.fail(.refuse(422), times: count)
    case .lostAnswers(let count): forum.fail(.loseAnswer, times: count)
    case .busy(let time): forum.beBusy(for: time)
    case .expiredCredentials(let account): forum.expire(account.rawValue)
    case .removedConversation(let room): forum.remove(room.rawValue)
    case .network(let fault): try await proxy.withLock { $0?.proxy }?.make(fault)
    default: break
    }
  }

  func behave() async throws {
    forum.behave()
    try await proxy.withLock { $0?.proxy }?.behave()
  }
}

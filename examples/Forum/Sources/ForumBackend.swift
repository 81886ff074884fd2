import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Synchronization

/// The forum for the suite that every transport passes: starts and kills the server, and says what it has.
final class ForumBackend: ConformanceBackend {
  let name: String
  let faults: Set<TransportConformance.Fault.Kind> = [.kill, .rejections, .busy, .lostAnswers]
  private let forum = ForumServer()
  private let forgetsNonces: Bool
  private let port = Mutex<UInt16>(0)
  private let (orders, order) = AsyncStream<Order>.makeStream()

  /// What the server's task is to do. It says when it has done it.
  private enum Order: Sendable {
    case start(CheckedContinuation<Void, Never>)
    case kill(CheckedContinuation<Void, Never>)
  }

  /// - Parameter forgetsNonces: whether the transport has a fault that the suite finds: it does not look at the nonce that
  ///   comes back.
  init(forgetsNonces: Bool = false) {
    self.forgetsNonces = forgetsNonces
    name = forgetsNonces ? "forum with a fault" : "forum"
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
  }

  func kill() async throws {
    await withCheckedContinuation { _ = order.yield(.kill($0)) }
  }

  func account(_ name: String) async throws -> UserID { UserID(rawValue: name) }

  func transport(for account: UserID) throws -> any Transport {
    guard let url = URL(string: "http://127.0.0.1:\(port.withLock { $0 })") else { throw URLError(.badURL) }
    let forum = Forum(url: url, account: account.rawValue, forgetsNonces: forgetsNonces)
    return forum.transportWithHistory
  }

  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    forum.posts(in: conversation.rawValue).map { post in
      TransportConformance.Record(
        id: MessageID(rawValue: post.nonce ?? post.id), sender: UserID(rawValue: post.author),
        text: post.text, isDeleted: post.isDeleted,
        reactions: post.reactions.map { .init($0.value, from: UserID(rawValue: $0.by)) })
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
    default: break
    }
  }

  func behave() async throws { forum.behave() }
}

import Foundation
import Holdfast
import HoldfastTransport

/// A backend for ``TransportConformance``: it makes accounts, gives each a transport, is killed and started again, and
/// says what the server has.
///
/// ```swift
/// struct ForumBackend: ConformanceBackend {
///   let name = "forum"
///   let forum = ForumProcess()                        // starts and kills the server
///
///   func start(in environment: ChatEnvironment) async throws { try await forum.start() }
///   func kill() async throws { try await forum.kill(SIGKILL) }
///   func account(_ name: String) async throws -> UserID { try await forum.register(name) }
///   func transport(for account: UserID) throws -> any Transport { ForumTransport(forum.url, as: account) }
///   func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
///     try await forum.database.posts(in: conversation).map(TransportConformance.Record.init)
///   }
/// }
/// ```
///
/// The record is read from the server itself, such as its database or its interface for administrators, and never
/// through the transport: a transport that loses a message would not show that it is missing.
public protocol ConformanceBackend: Sendable {
  /// The name in the report.
  var name: String { get }
  /// The clock on which the cases run. The default is ``TransportConformance/Time/real``.
  var time: TransportConformance.Time { get }
  /// The faults that the backend can make on request. A case that needs another fault is skipped, by name. The default
  /// is a backend that can be killed and started again, and nothing else.
  var faults: Set<TransportConformance.Fault.Kind> { get }

  /// Calls `body`, and meanwhile runs what the server needs in this process, such as a task that reads its output. The
  /// default only calls `body`.
  func run(_ body: @Sendable () async throws -> Void) async throws

  /// Starts the server, and returns once it takes connections. After ``kill()`` it starts again on the same data.
  ///
  /// - Parameter environment: the clock, executor and IDs of the cases. A backend whose time is virtual runs its server
  ///   and its transports on them, and another backend may ignore them.
  func start(in environment: ChatEnvironment) async throws

  /// Ends the server as `kill -9` does, without a chance to tidy up, and returns once it is gone. The suite calls it at
  /// the end, too.
  func kill() async throws

  /// Makes an account.
  ///
  /// - Parameter name: a wish for the name, which no other account of this run has. The account may be called otherwise.
  func account(_ name: String) async throws -> UserID

  /// The transport of an account's device. Each device gets one.
  func transport(for account: UserID) throws -> any Transport

  /// The messages of a conversation by the server's own record, in the server's order, with those that are marked as
  /// deleted. Empty when the server does not have the conversation. Not called while the server is down, and not for a
  /// transport without a server: the suite reads the record of such a transport from the device's store.
  ///
  /// - Parameter conversation: the ID that the conversation has on the device that created it.
  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record]

  /// The message up to which each member has read, by the server's own record. Called only if the transport carries
  /// read marks. The default is empty.
  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID]

  /// Makes one of the ``faults``. ``TransportConformance/Fault/Kind/kill`` is made with ``kill()``.
  func make(_ fault: TransportConformance.Fault) async throws

  /// Ends the faults that were made and are not used up.
  func behave() async throws
}

extension ConformanceBackend {
  /// Real time.
  public var time: TransportConformance.Time { .real }

  /// A server that can be killed.
  public var faults: Set<TransportConformance.Fault.Kind> { [.kill] }

  /// Calls `body`.
  public func run(_ body: @Sendable () async throws -> Void) async throws { try await body() }

  /// No read marks.
  public func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] { [:] }

  /// Makes nothing.
  public func make(_ fault: TransportConformance.Fault) async throws {}

  /// There is nothing to end.
  public func behave() async throws {}
}

import Foundation
import Holdfast
import HoldfastTransport

/// A backend for ``TransportConformance``: it makes accounts, gives each a transport, is killed and restarted, and
/// returns the server's record.
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
/// The record is read from the server itself, such as its database or its administration interface, and never
/// through the transport: a transport that loses a message would hide that it is missing.
public protocol ConformanceBackend: Sendable {
  /// The name in the report.
  var name: String { get }
  /// The clock on which the cases run. The default is ``TransportConformance/Time/real``.
  var time: TransportConformance.Time { get }
  /// The faults that the backend can make on request. A case that needs another fault is skipped, by name. By
  /// default, the backend can only be killed and restarted.
  var faults: Set<TransportConformance.Fault.Kind> { get }

  /// Calls `body`, and meanwhile runs the server's work in this process, such as a task that reads its output. The
  /// default only calls `body`.
  func run(_ body: @Sendable () async throws -> Void) async throws

  /// Starts the server, and returns once it accepts connections. After ``kill()`` it starts again on the same data.
  ///
  /// - Parameter environment: the clock, executor and IDs of the cases. A backend on virtual time runs its server
  ///   and its transports on them, and other backends may ignore them.
  func start(in environment: ChatEnvironment) async throws

  /// Ends the server as `kill -9` does, without any cleanup, and returns once it has ended. The suite calls it at
  /// the end, too.
  func kill() async throws

  /// Makes an account.
  ///
  /// - Parameter name: the suggested name, which no other account of this run has. The account may have another one.
  func account(_ name: String) async throws -> UserID

  /// The transport of an account's device. Each device gets one.
  func transport(for account: UserID) throws -> any Transport

  /// The messages of a conversation by the server's own record, in the server's order, including those that are
  /// marked as deleted. Empty when the server does not have the conversation. Not called while the server is down,
  /// and not for a transport without a server: the suite reads the record of such a transport from the device's
  /// store.
  ///
  /// - Parameter conversation: the ID that the conversation has on the device that created it.
  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record]

  /// The message up to which each member has read, by the server's own record. Called only if the transport supports
  /// read marks. The default is empty.
  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID]

  /// Causes one of the ``faults``. ``TransportConformance/Fault/Kind/kill`` is caused with ``kill()``.
  func make(_ fault: TransportConformance.Fault) async throws

  /// Ends the faults that are still active.
  func behave() async throws
}

extension ConformanceBackend {
  /// Real time.
  public var time: TransportConformance.Time { .real }

  /// Only kills of the server.
  public var faults: Set<TransportConformance.Fault.Kind> { [.kill] }

  /// Calls `body`.
  public func run(_ body: @Sendable () async throws -> Void) async throws { try await body() }

  /// No read marks.
  public func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] { [:] }

  /// Does nothing.
  public func make(_ fault: TransportConformance.Fault) async throws {}

  /// Does nothing.
  public func behave() async throws {}
}

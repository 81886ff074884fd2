import Holdfast
import HoldfastTransport

/// ``DeviceTransport`` as a backend: there is no server, and each store is its own record.
public struct DeviceBackend: ConformanceBackend {
  public let name = "device"
  public let time = TransportConformance.Time.virtual
  public let faults: Set<TransportConformance.Fault.Kind> = []

  /// A backend without a server.
  public init() {}

  public func start(in environment: ChatEnvironment) async throws {}

  public func kill() async throws {}

  public func account(_ name: String) async throws -> UserID { UserID(rawValue: name) }

  public func transport(for account: UserID) throws -> any Transport { DeviceTransport() }

  /// Empty: the suite reads the store.
  public func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] { [] }
}

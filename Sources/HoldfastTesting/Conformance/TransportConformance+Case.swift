import Holdfast
import HoldfastTransport

extension TransportConformance {
  /// One case: the acts of two phones, a fault, and the conditions that must hold afterwards. Each case ends with a
  /// comparison of the server's record, and of every phone, with the users' acts.
  public struct Case: Sendable, Identifiable {
    /// The unique name, which states the condition.
    public let name: String
    /// The rules of the engine that the case proves, as `docs/rules.md` numbers them: "O6.2".
    public let rules: [String]
    /// The requirements on the backend.
    let needs: [Need]
    /// Whether the case is one operation under one fault.
    let isOperationUnderFault: Bool
    let body: @Sendable (ConformanceStage) async throws -> Void

    /// The same as ``name``.
    public var id: String { name }

    init(
      _ name: String, _ rules: [String], needs: [Need] = [], isOperationUnderFault: Bool = false,
      _ body: @escaping @Sendable (ConformanceStage) async throws -> Void
    ) {
      self.name = name
      self.rules = rules
      self.needs = needs
      self.isOperationUnderFault = isOperationUnderFault
      self.body = body
    }
  }

  /// All cases of the suite.
  public static var allCases: [Case] {
    order + once + retrying + unsent + arriving + history + events + places + declarations
      + operationsUnderFaults + operationsOverBadNetworks
  }
}

extension TransportConformance.Case {
  /// A feature that not every backend has.
  enum Need: Sendable, Hashable {
    case server
    case fault(TransportConformance.Fault.Kind)
    case operation(MessageOperation.Kind)
    case attachments
    case readMarks
    case history
    case search
    /// A second copy of a message under its ID is recognized, also on another connection.
    case lastingIDs
    case longestText
    case largestAttachment

    /// The reason why the backend lacks it. Nil when the backend has it.
    func absence(
      in capabilities: TransportCapabilities, _ faults: Set<TransportConformance.Fault.Kind>
    ) -> String? {
      switch self {
      case .server: capabilities.hasServer ? nil : "The transport has no server."
      case .fault(let kind):
        !capabilities.hasServer
          ? "The transport has no server." : faults.contains(kind) ? nil : "The backend cannot \(kind.deed)."
      case .operation(let kind):
        capabilities.operations.contains(kind) ? nil : "The transport declares no \(kind.rawValue)."
      case .attachments: capabilities.carriesAttachments ? nil : "The transport declares no attachments."
      case .readMarks: capabilities.supportsReadReceipts ? nil : "The transport declares no read marks."
      case .history:
        capabilities.carriesHistory ? nil : "The transport declares no older messages."
      case .search: capabilities.carriesSearch ? nil : "The transport declares no search."
      case .lastingIDs:
        switch capabilities.idempotency {
        case .forever, .window(_, .account): nil
        case .window(_, .connection), .none: "The transport declares that IDs are not remembered."
        }
      case .longestText:
        capabilities.maximumMessageBytes == nil ? "The transport declares no longest text." : nil
      case .largestAttachment:
        capabilities.maximumAttachmentBytes == nil ? "The transport declares no largest attachment." : nil
      }
    }
  }
}

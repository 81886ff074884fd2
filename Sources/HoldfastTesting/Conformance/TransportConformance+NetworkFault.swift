extension TransportConformance {
  /// A failure of the network to the server, which a backend makes with a proxy at the TCP level, such as `holdfast
  /// proxy`. It concerns every connection through the proxy.
  public enum NetworkFault: String, Sendable, Hashable, CaseIterable {
    /// Open connections are reset, and new ones are refused, until the backend behaves.
    case refused
    /// Open connections are reset.
    case reset
    /// No bytes pass until the backend behaves, and none are lost.
    case hole
    /// The connection is reset in the middle of a request.
    case halfRequest
    /// The server carries out a request, and the connection is reset before the response.
    case lostAnswer
    /// The same, and the connection is closed.
    case lostAnswerThenClosed
    /// The same, and the connection stays open and silent.
    case lostAnswerThenSilent
    /// The connection is reset in the middle of a response.
    case cutAnswer
    /// Bytes pass late.
    case slow

    /// The lines of input with which `holdfast-lab proxy` makes the fault.
    public var orders: [String] {
      switch self {
      case .refused: ["refuse", "reset"]
      case .reset: ["reset"]
      case .hole: ["hole"]
      case .halfRequest: ["half 40"]
      case .lostAnswer: ["lose reset"]
      case .lostAnswerThenClosed: ["lose close"]
      case .lostAnswerThenSilent: ["lose silent"]
      case .cutAnswer: ["cut 20"]
      case .slow: ["delay 200"]
      }
    }

    /// Whether the proxy prints the line "done" when it has made the fault.
    public var reportsCompletion: Bool {
      switch self {
      case .halfRequest, .lostAnswer, .lostAnswerThenClosed, .lostAnswerThenSilent, .cutAnswer: true
      case .refused, .reset, .hole, .slow: false
      }
    }

    /// The rest of the sentence "a message arrives once, …".
    var name: String {
      switch self {
      case .refused: "when connections are refused"
      case .reset: "when the connection is reset"
      case .hole: "when nothing passes for a while"
      case .halfRequest: "when half of it passes"
      case .lostAnswer: "when the network loses its answer"
      case .lostAnswerThenClosed: "when the network loses its answer and closes"
      case .lostAnswerThenSilent: "when the network loses its answer and falls silent"
      case .cutAnswer: "when half of the answer passes"
      case .slow: "when the network is slow"
      }
    }

    /// Whether the fault lasts until the backend behaves, so that nothing arrives before.
    fileprivate var lasts: Bool { self == .refused || self == .hole }
  }
}

/// Every operation under every network fault, on an open connection and on a new one (rule B12).
extension TransportConformance {
  static var operationsOverBadNetworks: [Case] {
    ConformanceOperation.allCases.flatMap { operation in
      NetworkFault.allCases.flatMap { fault in
        [false, true].map { isNew in
          Case(
            "\(operation.name) arrives once, \(fault.name)\(isNew ? ", on a new connection" : "")",
            ["O6.1", "O6.8"],
            needs: operation.needs + [.server, .fault(.network)], isOperationUnderFault: true
          ) { stage in
            let scene = try await operation.prepare(on: stage)
            try await strike(fault, operation, in: scene, isNew: isNew, on: stage)
          }
        }
      }
    }
  }

  private static func strike(
    _ fault: NetworkFault, _ operation: ConformanceOperation, in scene: ConformanceOperation.Scene,
    isNew: Bool,
    on stage: ConformanceStage
  ) async throws {
    let alice = scene.alice
    if isNew {
      try await stage.offline(alice)
    } else {
      try await stage.online(alice)
    }
    // Only a request already in flight is reset.
    if fault != .reset { try await stage.backend.make(.network(fault)) }
    try operation.carryOut(in: scene)
    if isNew { alice.path.set(isUp: true) }
    if fault == .reset { try await stage.backend.make(.network(fault)) }
    if fault.lasts {
      try await stage.pass(.milliseconds(500))
    } else {
      try await stage.delivered(on: alice)
    }
    try await stage.backend.behave()
    // A message that is sent now is behind it.
    try alice.say(in: scene.chat)
  }
}

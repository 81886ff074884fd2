import Holdfast

/// The trouble during an operation.
enum ConformanceTrouble: CaseIterable, Sendable {
  case lostAnswer, cutBefore, cutAfter, killedWaiting, killedOnItsWay, serverKilled, deliveredTwice

  var name: String {
    switch self {
    case .lostAnswer: "when its answer is lost"
    case .cutBefore: "when the connection is lost before it leaves"
    case .cutAfter: "when the connection is lost once it has left"
    case .killedWaiting: "when the app is killed while it waits"
    case .killedOnItsWay: "when the app is killed once it has left"
    case .serverKilled: "when the server is killed once it has left"
    case .deliveredTwice: "when everything is told twice"
    }
  }

  var rules: [String] {
    switch self {
    case .lostAnswer: ["O6.2"]
    case .cutBefore, .cutAfter: ["O6.1", "O6.8"]
    case .killedWaiting: ["O11.1", "O11.2"]
    case .killedOnItsWay: ["O11.3"]
    case .serverKilled: ["O6.3"]
    case .deliveredTwice: ["H11.1"]
    }
  }

  var needs: [TransportConformance.Case.Need] {
    switch self {
    case .killedWaiting: []
    case .serverKilled: [.fault(.kill)]
    case .lostAnswer, .cutBefore, .cutAfter, .killedOnItsWay, .deliveredTwice: [.server]
    }
  }

  /// Causes the trouble around an operation, and ends it.
  func strike(
    _ operation: ConformanceOperation, in scene: ConformanceOperation.Scene, on stage: ConformanceStage
  ) async throws {
    let alice = scene.alice
    switch self {
    case .lostAnswer: alice.transport.lose(.withItsAnswer, at: operation.crossing)
    case .cutBefore: alice.transport.lose(.beforeItLeaves, at: operation.crossing)
    case .cutAfter: alice.transport.lose(.afterItLeft, at: operation.crossing)
    case .killedOnItsWay:
      // Offline, so that all of it is stored before the first part is sent.
      try await stage.offline(alice)
      alice.transport.lose(.afterItLeft, at: operation.crossing) { alice.die() }
    case .serverKilled:
      alice.transport.lose(.afterItLeft, at: operation.crossing) { try? await stage.killServer() }
    case .killedWaiting: try await stage.offline(alice)
    case .deliveredTwice:
      for phone in stage.phones {
        (phone.transport.repeatsEvents, phone.transport.forgetsPlace) = (true, true)
      }
    }
    try operation.carryOut(in: scene)
    switch self {
    case .lostAnswer, .cutBefore, .cutAfter: try await stage.struck(on: alice)
    case .killedWaiting: try await alice.relaunch()
    case .killedOnItsWay:
      alice.path.set(isUp: true)
      try await stage.struck(on: alice)
      try await alice.relaunch()
    case .serverKilled:
      try await stage.struck(on: alice)
      try await stage.startServer()
    case .deliveredTwice:
      try await stage.delivered(on: alice)
      for phone in stage.phones { phone.transport.cut() }
    }
    // A message that is sent now is behind it.
    try alice.say(in: scene.chat)
  }
}

/// Every operation under every trouble (rule B12).
extension TransportConformance {
  static var operationsUnderFaults: [Case] {
    ConformanceOperation.allCases.flatMap { operation in
      ConformanceTrouble.allCases.map { trouble in
        Case(
          "\(operation.name) arrives once, \(trouble.name)", trouble.rules,
          needs: operation.needs + trouble.needs, isOperationUnderFault: true
        ) { stage in
          try await trouble.strike(operation, in: try await operation.prepare(on: stage), on: stage)
        }
      }
    }
  }
}

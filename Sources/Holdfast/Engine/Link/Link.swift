import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Follows what the platform tells about the network.
  func followPath() async {
    let signal = Signal()
    let subscription = path.subscribe(signal)
    defer { path.unsubscribe(subscription) }
    var interface = path.interface
    while !Task.isCancelled {
      // Another interface is another way to the server: no wait for the old one goes on.
      if let current = path.interface, current != interface {
        interface = current
        linkState.nudge()
      }
      linkState.pathChanged(isUp: path.isUp, now: environment.uptime())
      linkSignal.raise()
      await signal.wait()
    }
  }

  /// Connects whenever it is time to, for as long as the task lives.
  func followLink() async {
    while !Task.isCancelled {
      let action = linkState.next(now: environment.uptime())
      publishLink()
      switch action {
      case .wait(let deadline): await linkSignal.wait(until: deadline, in: environment)
      case .connect:
        do {
          guard try await mayDrain() else { continue }
        } catch {
          lost(to: Self.failure(error))
          continue
        }
        linkState.connecting()
        publishLink()
        let failure = await connectOnce()
        recallDepartures()
        do { try interruptStreams() } catch {
          logger.error("streams not marked", metadata: ["error": "\(error)"])
        }
        lost(to: failure)
      }
    }
  }

  private func lost(to failure: LinkFailure) {
    linkState.lost(to: failure, policy: policy, now: environment.uptime(), dice: environment.random())
    publishLink()
    logger.info(
      "link lost", metadata: ["reason": "\(failure.reason.rawValue)", "detail": "\(failure.detail)"])
  }

  func publishLink() {
    // A path that is down and not believed yet has forgotten its interface, and what is shown has not.
    let known = path.isUp ? path.interface : live.interface
    let hasChanged = live.set(
      link: linkState.shown, over: linkState.isPathUp ? known : nil,
      needsCredentials: linkState.needsCredentials)
    store.changes.publish(Changes(link: hasChanged, standing: true))
  }

  /// One connection, from the first byte to its end. There is always a reason for the end.
  private func connectOnce() async -> LinkFailure {
    do {
      let cursor = try store.read { try $0.syncCursor() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await self.transport.withConnection(of: self.device, resumingAfter: cursor) { connection in
            try await self.serve(connection)
          }
        }
        group.addTask { try await self.watchPath() }
        defer { group.cancelAll() }
        try await group.next()
      }
      return LinkFailure(.unreachable, detail: "closed")
    } catch {
      return Self.failure(error)
    }
  }

  private static func failure(_ error: any Error) -> LinkFailure {
    switch error {
    case let failure as LinkFailure: failure
    case let error as ChatError: LinkFailure(.storage, detail: "\(error.code)")
    default: LinkFailure(.unreachable, detail: "\(type(of: error))")
    }
  }

  private func serve(_ connection: any TransportConnection) async throws {
    if let account = connection.account, account != user {
      throw LinkFailure(.unauthorized, detail: "the credentials are those of another account")
    }
    try holdWhatIsOld()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.receive(from: connection) }
      group.addTask { try await self.pumpOutbox(connection) }
      group.addTask { try await self.lookUpFates(on: connection) }
      group.addTask { try await self.askForOutcomes(over: connection) }
      group.addTask { try await self.uploadAttachments(over: connection) }
      if transport.guarantees.carriesAttachments {
        group.addTask { try await self.fetchAttachments(over: connection) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Throws when the device has lost its network, so that the connection is given up at once.
  func watchPath() async throws {
    while !Task.isCancelled {
      guard case .wait(let deadline) = linkState.next(now: environment.uptime()) else { return }
      publishLink()
      if linkState.mustHangUp { throw LinkFailure(.unreachable, detail: "no network") }
      await linkSignal.wait(until: deadline, in: environment)
    }
  }
}

import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// One test for each transition from a message's state to its explanation.
@Suite struct ExplanationTests {
  private func link(
    isPathUp: Bool = true, lostTo failure: ConnectionFailure? = nil, isConnecting: Bool = false,
    isOnline: Bool = false
  ) -> LinkState {
    var link = LinkState(isPathUp: isPathUp)
    if let failure { link.lost(to: failure, policy: ChatConfiguration.RetryPolicy(), now: .zero, dice: 0) }
    if isConnecting || isOnline { link.connecting() }
    if isOnline { link.ready() }
    return link
  }

  private func explain(
    _ place: StatusFacts.Place = .queued(behind: nil), isRunning: Bool = true, isOnItsWay: Bool = false,
    retryAt: Date? = nil, link: LinkState
  ) -> Explanation {
    var facts = StatusFacts(place: place, link: link)
    (facts.isRunning, facts.isOnItsWay, facts.retryAt) = (isRunning, isOnItsWay, retryAt)
    facts.connectsAt = link.nextAttempt(now: .zero).map { eg.date.addingTimeInterval($0 / .seconds(1)) }
    return Explanation(facts.status)
  }

  // O17.1
  @Test func `a message that is gone, or was never here, has an answer too`() {
    let offline = link(isPathUp: false)
    #expect(explain(.unknown, link: offline).code == .unknown)
    #expect(explain(.delivered, link: offline).code == .delivered)
    #expect(explain(.held, link: offline).code == .held)
  }

  // O17.1
  @Test func `failed -> the reason that is stored`() {
    let explanation = explain(.failed(eg.rejection), link: link(isOnline: true))
    #expect(explanation.code == .failed)
    #expect(explanation.failure == eg.rejection)
    #expect(explanation.sentence == "No.")
    #expect(explanation.nextAttempt == nil)
  }

  // O17.1, O17.2
  @Test func `no network -> offline, regardless of the server's last answer`() {
    let explanation = explain(link: link(isPathUp: false, lostTo: ConnectionFailure(.unauthorized)))
    #expect(explanation.code == .offline)
    #expect(explanation.nextAttempt == nil, "It depends on the network.")
  }

  // O9.4
  @Test func `Info on a queued message says when it goes`() {
    let sentence = "This message will send automatically when you're back online."
    #expect(explain(link: link(isPathUp: false)).sentence == sentence)
  }

  // O8, O17.1
  @Test func `behind a failed message, or in a refused conversation -> that reason, regardless of the link`()
  {
    for link in [link(isPathUp: false), link(isOnline: true)] {
      #expect(explain(.afterFailure("m1"), link: link).waitsFor == "m1")
      #expect(explain(.afterFailure("m1"), link: link).code == .waitsForFailed)
      #expect(explain(.refused(eg.rejection), link: link).code == .conversationRefused)
      #expect(explain(.refused(eg.rejection), link: link).failure == eg.rejection)
    }
  }

  // O17.1
  @Test func `the client does not run -> not running`() {
    #expect(explain(isRunning: false, link: link(isOnline: true)).code == .notRunning)
  }

  // O17.1, O17.2
  @Test(arguments: [
    (ConnectionFailure(.unreachable), MessageStatus.Code.reconnecting),
    (ConnectionFailure(.timedOut), .reconnecting),
    (ConnectionFailure(.insecure), .reconnecting), (ConnectionFailure(.unavailable), .reconnecting),
    (ConnectionFailure(.incompatible), .reconnecting), (ConnectionFailure(.unauthorized), .signedOut),
    (ConnectionFailure(.storage, detail: "storageFull"), .storageFull),
    (ConnectionFailure(.storage, detail: "storageLocked"), .storageLocked),
    (ConnectionFailure(.storage, detail: "storageBusy"), .storageFailed),
    (ConnectionFailure(.storage), .storageFailed),
  ])
  func `no answer -> why, and when the next attempt is`(failure: ConnectionFailure, code: MessageStatus.Code)
    throws
  {
    let lost = link(lostTo: failure)
    guard case .waiting(let until) = lost.phase else {
      Issue.record("it does not wait")
      return
    }
    let explanation = explain(link: lost)
    #expect(explanation.code == code)
    #expect(explanation.connectionFailure == failure.reason)
    #expect(explanation.nextAttempt == eg.date.addingTimeInterval(until / .seconds(1)))
  }

  // O17.2
  @Test func `the first connection -> reconnecting, without a failure`() {
    #expect(explain(link: link()).nextAttempt == eg.date)
    let explanation = explain(link: link(isConnecting: true))
    #expect(explanation.code == .reconnecting)
    #expect(explanation.connectionFailure == nil)
    #expect(explanation.nextAttempt == nil, "The attempt is being made.")
  }

  // O17.1
  @Test func `a server that answers has not failed`() {
    let answered = link(lostTo: ConnectionFailure(.unauthorized), isOnline: true)
    #expect(explain(link: answered).code == .sending)
    #expect(explain(link: answered).connectionFailure == nil)
  }

  // O17.1, O17.2
  @Test func `online -> on its way, behind another, waiting, or leaving`() {
    let online = link(isOnline: true)
    #expect(explain(isOnItsWay: true, retryAt: eg.date, link: online).code == .awaitingAnswer)
    let behind = explain(.queued(behind: "m1"), retryAt: eg.date, link: online)
    #expect(behind.code == .waitsForAnother)
    #expect(behind.waitsFor == "m1")
    #expect(behind.nextAttempt == nil, "It depends on the other one.")
    let waiting = explain(retryAt: eg.date, link: online)
    #expect(waiting.code == .waitsForRetry)
    #expect(waiting.nextAttempt == eg.date)
    #expect(explain(link: online).code == .sending)
  }
}

/// The same transitions with the real client, over the lifetimes of two messages.
@Suite(.timeLimit(.minutes(10))) struct ExplainingTests {
  // O17.1, O17.2
  @Test func `a message is explained from the tap to its delivery`() throws {
    try Bench.simulate(window: 1) { bench in
      let (first, second) = try {
        let client = try bench.client(isSimulated: true)
        return (
          try client.send("secret", in: eg.conversation), try client.send("secret", in: eg.conversation)
        )
      }()
      bench.path.set(isUp: false)
      bench.transport.refuse(ConnectionFailure(.unavailable))
      try await bench.running { client in
        try await bench.rest()
        #expect(try client.message(first).explain().code == .offline)
        bench.path.set(isUp: true)
        try await bench.pass(.milliseconds(110))
        var explanation = try client.message(second).explain()
        #expect(explanation.connectionFailure == .unavailable)
        #expect(try #require(explanation.nextAttempt) > bench.environment.now())
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        let message = await bench.transport.transmission(1)
        try await bench.rest()
        #expect(try client.message(first).explain().code == .awaitingAnswer)
        #expect(try client.message(second).explain().waitsFor == first)
        let at = bench.environment.now()
        bench.transport.say(.refused(first, transmission: message.transmission, .failed(after: .seconds(7))))
        try await bench.rest()
        explanation = try client.message(first).explain()
        #expect(explanation.code == .waitsForRetry)
        #expect(try #require(explanation.nextAttempt) > at.addingTimeInterval(6.9))
        let again = await bench.transport.transmission(2)
        bench.transport.say(.refused(first, transmission: again.transmission, .rejected(eg.rejection)))
        await bench.transport.transmission(3)
        bench.transport.say(.receipts([eg.receipt(second)]))
        try await bench.rest()
        #expect(try client.message(first).explain().failure == eg.rejection)
        #expect(try client.message(second).explain().code == .delivered)
        #expect(try client.message("nobody").explain().code == .unknown)
      }
    }
  }

  // O17.1
  @Test func `credentials that are refused are said to be what is missing`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unauthorized))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.rest()
        #expect(try client.message(id).explain().code == .signedOut)
      }
    }
  }

  // O17.1
  @Test func `a full disk is said to be what is in the way`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        let id = try client.send("hi", in: eg.conversation)
        bench.gate.fail()
        try await bench.pass(.milliseconds(200))
        #expect(try client.message(id).explain().code == .storageFull)
      }
    }
  }
}

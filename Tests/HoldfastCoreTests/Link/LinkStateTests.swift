import Testing

@testable import HoldfastCore

/// The transitions of ``LinkState``.
@Suite struct LinkStateTests {
  private let policy = ChatConfiguration.RetryPolicy()

  private func connecting() -> LinkState {
    var state = LinkState(isPathUp: true)
    _ = state.next(now: .zero)
    state.connecting()
    return state
  }

  private func online() -> LinkState {
    var state = connecting()
    state.ready()
    return state
  }

  private func lose(_ state: inout LinkState, at now: Duration, retryAfter: Duration? = nil) {
    state.lost(
      to: ConnectionFailure(.unreachable, retryAfter: retryAfter), policy: policy, now: now, dice: 0)
  }

  // N1.1, N1.5
  @Test func `due -> connecting -> online`() {
    var state = LinkState(isPathUp: true)
    #expect(state.shown == .reconnecting)
    #expect(state.next(now: .zero) == .connect)
    state.connecting()
    #expect(state.next(now: .zero) == .wait(until: nil))
    #expect(state.shown == .reconnecting, "A path that is up says nothing of the server.")
    state.ready()
    #expect(state.shown == .online)
    #expect(state.next(now: .seconds(1)) == .wait(until: nil))
  }

  // N3.1
  @Test func `connecting -> waiting -> due, each time longer`() {
    var state = connecting()
    lose(&state, at: .zero)
    #expect(state.phase == .waiting(until: .milliseconds(500)))
    #expect(state.shown == .reconnecting)
    #expect(state.next(now: .milliseconds(499)) == .wait(until: .milliseconds(500)))
    #expect(state.next(now: .milliseconds(500)) == .connect)
    state.connecting()
    lose(&state, at: .seconds(1))
    #expect(state.phase == .waiting(until: .seconds(2)))
  }

  // N1.1, N3.1
  @Test func `a connection that has heard nothing goes on with the series of faults, and shows no server`() {
    var state = connecting()
    state.ready(isHeard: false, now: .zero)
    #expect(state.shown == .online, "Nothing has failed yet.")
    lose(&state, at: .zero)
    for wait in [1, 2, 4] {
      state.connecting()
      state.ready(isHeard: false, now: .zero)
      #expect(state.shown == .reconnecting)
      lose(&state, at: .zero)
      #expect(state.phase == .waiting(until: .seconds(wait)))
    }
    state.connecting()
    state.ready(isHeard: false, now: .seconds(20))
    #expect(state.next(now: .seconds(21)) == .wait(until: .seconds(30)))
    state.heard()
    #expect(state.shown == .online)
    #expect(state.next(now: .seconds(21)) == .wait(until: nil))
    lose(&state, at: .seconds(22))
    #expect(state.phase == .waiting(until: .milliseconds(22_500)), "The series begins anew.")
  }

  // N1.1
  @Test func `a connection that has heard nothing counts after ten seconds`() {
    var state = connecting()
    lose(&state, at: .zero)
    state.connecting()
    state.ready(isHeard: false, now: .seconds(1))
    #expect(state.next(now: .seconds(10)) == .wait(until: .seconds(11)))
    #expect(state.shown == .reconnecting)
    #expect(state.next(now: .seconds(11)) == .wait(until: nil))
    #expect(state.shown == .online)
  }

  // N3
  @Test func `an answer ends the series of faults`() {
    var state = connecting()
    for _ in 1...5 {
      lose(&state, at: .zero)
      state.connecting()
    }
    state.ready()
    lose(&state, at: .zero)
    #expect(state.phase == .waiting(until: .milliseconds(500)))
  }

  // O7.8, N3
  @Test func `the server's retry-after is honoured`() {
    var state = online()
    lose(&state, at: .seconds(1), retryAfter: .seconds(60))
    #expect(state.phase == .waiting(until: .seconds(61)))
  }

  // N3.3
  @Test func `waiting -> due by a nudge, and faults are forgotten`() {
    var state = connecting()
    for _ in 1...5 { lose(&state, at: .zero) }
    state.nudge()
    #expect(state.next(now: .zero) == .connect)
    state.connecting()
    lose(&state, at: .zero)
    #expect(state.phase == .waiting(until: .milliseconds(500)))
  }

  @Test func `a nudge leaves a live connection alone`() {
    for var state in [connecting(), online()] {
      let phase = state.phase
      state.nudge()
      #expect(state.phase == phase)
    }
  }

  // O10.2, N1.1
  @Test func `online -> offline when the path has been down for 100 ms`() {
    var state = online()
    state.pathChanged(isUp: false, now: .seconds(1))
    #expect(state.next(now: .seconds(1)) == .wait(until: .milliseconds(1100)))
    #expect(state.shown == .online)
    #expect(!state.mustHangUp)
    #expect(state.next(now: .milliseconds(1100)) == .wait(until: nil))
    #expect(state.shown == .offline)
    #expect(state.mustHangUp)
    lose(&state, at: .milliseconds(1100))
    #expect(!state.mustHangUp)
    #expect(state.next(now: .seconds(60)) == .wait(until: nil), "Without a path nobody connects.")
  }

  // N3.2
  @Test func `offline -> due when the path has been up for 100 ms, whatever the wait was`() {
    var state = online()
    state.pathChanged(isUp: false, now: .zero)
    _ = state.next(now: .milliseconds(100))
    lose(&state, at: .milliseconds(100), retryAfter: .seconds(60))
    state.pathChanged(isUp: true, now: .seconds(5))
    #expect(state.next(now: .seconds(5)) == .wait(until: .milliseconds(5100)))
    #expect(state.shown == .offline)
    #expect(state.next(now: .milliseconds(5100)) == .connect)
    #expect(state.shown == .reconnecting)
  }

  // N1.1
  @Test func `a start without a path is offline, and connects once there is one`() {
    var state = LinkState(isPathUp: false)
    #expect(state.shown == .offline)
    #expect(state.next(now: .zero) == .wait(until: nil))
    state.pathChanged(isUp: true, now: .seconds(1))
    #expect(state.next(now: .milliseconds(1100)) == .connect)
  }

  // O10.2
  @Test func `flicker shorter than 100 ms is not followed, in either state`() {
    var up = online()
    var down = LinkState(isPathUp: false)
    for tick in 0..<20 {
      let now = Duration.milliseconds(90 * tick)
      up.pathChanged(isUp: !tick.isMultiple(of: 2), now: now)
      down.pathChanged(isUp: tick.isMultiple(of: 2), now: now)
      _ = up.next(now: now)
      _ = down.next(now: now)
    }
    #expect(up.next(now: .seconds(9)) == .wait(until: nil))
    #expect(down.next(now: .seconds(9)) == .wait(until: nil))
    #expect(up.shown == .online)
    #expect(down.shown == .offline)
  }

  // O10.2
  @Test func `hearing the same again does not start the 100 ms anew`() {
    var state = online()
    state.pathChanged(isUp: false, now: .zero)
    state.pathChanged(isUp: false, now: .milliseconds(90))
    _ = state.next(now: .milliseconds(100))
    #expect(state.shown == .offline)
  }

  @Test func `a wait ends once the path is stable, if that comes first`() {
    var state = connecting()
    lose(&state, at: .zero, retryAfter: .seconds(60))
    state.pathChanged(isUp: false, now: .seconds(1))
    #expect(state.next(now: .seconds(1)) == .wait(until: .milliseconds(1100)))
  }

  // N1.5
  @Test func `an answer without a connection is passed over`() {
    var state = LinkState(isPathUp: true)
    state.ready()
    #expect(state.shown == .reconnecting)
  }

  // O7.10
  @Test func `credentials that are refused twice wait for the app, and slowly for the server`() {
    var state = connecting()
    state.lost(to: ConnectionFailure(.unauthorized), policy: policy, now: .zero, dice: 0)
    #expect(state.phase == .waiting(until: .milliseconds(500)), "They may only have expired.")
    #expect(state.needsCredentials)
    state.connecting()
    state.lost(to: ConnectionFailure(.unauthorized), policy: policy, now: .zero, dice: 0)
    #expect(state.phase == .waiting(until: .seconds(900)))
    state.nudge()
    #expect(state.next(now: .seconds(1)) == .connect)
    #expect(state.needsCredentials, "Until the server answers.")
    state.connecting()
    state.ready()
    #expect(!state.needsCredentials)
    state.lost(to: ConnectionFailure(.unauthorized), policy: policy, now: .zero, dice: 0)
    #expect(state.phase == .waiting(until: .milliseconds(500)))
  }

  // O7.10
  @Test func `a store that fails between two refusals does not make the second one the first`() {
    var state = connecting()
    state.lost(to: ConnectionFailure(.unauthorized), policy: policy, now: .zero, dice: 0)
    state.lost(to: ConnectionFailure(.storage), policy: policy, now: .zero, dice: 0)
    #expect(state.needsCredentials)
    state.connecting()
    state.lost(to: ConnectionFailure(.unauthorized), policy: policy, now: .zero, dice: 0)
    #expect(state.phase == .waiting(until: .seconds(900)))
    state.nudge()
    state.connecting()
    state.lost(to: ConnectionFailure(.unreachable), policy: policy, now: .zero, dice: 0)
    #expect(!state.needsCredentials)
  }

  // O15.2
  @Test func `due -> standby, without a wait, and due again when the other process has ended`() {
    var state = LinkState(isPathUp: true)
    state.lost(
      to: ConnectionFailure(.unauthorized), policy: ChatConfiguration.RetryPolicy(), now: .zero, dice: 0)
    state.goOnStandby()
    #expect(state.shown == .otherProcess)
    #expect(!state.needsCredentials, "Nobody asks for them here.")
    #expect(!state.isConnected && !state.mustHangUp)
    state.nudge()
    #expect(state.next(now: .seconds(3600)) == .wait(until: nil))
    state.takeOver()
    #expect(state.next(now: .seconds(3600)) == .connect)
  }

  // O15
  @Test func `a take-over of what is not on standby changes nothing`() {
    var state = LinkState(isPathUp: true)
    state.connecting()
    state.ready()
    state.takeOver()
    #expect(state.phase == .online)
  }
}

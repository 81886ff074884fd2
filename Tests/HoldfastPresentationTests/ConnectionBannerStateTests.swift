import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// The transitions of ``ConnectionBannerState``.
@Suite struct ConnectionBannerStateTests {
  private var state = ConnectionBannerState(since: .zero)

  private mutating func show(
    _ link: Connectivity, isRefused: Bool = false, queued: Int = 0, at now: Duration
  ) -> String? {
    state.update(link: link, isRefused: isRefused, queued: queued, now: now)
    return state.banner?.text
  }

  // N2.2, N2.3
  @Test(arguments: [
    (0, "Offline - Messages will send when reconnected"), (1, "Offline - 1 message queued"),
    (3, "Offline - 3 messages queued"), (12345, "Offline - 12345 messages queued"),
  ])
  mutating func `nothing -> offline, with how many wait`(queued: Int, text: String) {
    #expect(show(.offline, queued: queued, at: .zero) == text)
    #expect(state.banner?.kind == .offline)
    #expect(state.deadline == nil)
  }

  // N2.2, N2.3
  @Test mutating func `offline -> offline, counting along`() {
    #expect(show(.offline, at: .zero) == "Offline - Messages will send when reconnected")
    #expect(show(.offline, queued: 1, at: .zero) == "Offline - 1 message queued")
    #expect(show(.offline, queued: 2, at: .zero) == "Offline - 2 messages queued")
  }

  // N2.4, N2.5, N2.6
  @Test mutating func `offline -> reconnecting -> connected -> nothing after 2 s`() {
    _ = show(.offline, at: .seconds(10))
    #expect(show(.reconnecting, at: .seconds(11)) == "Reconnecting...")
    #expect(show(.online, at: .seconds(12)) == "Connected")
    #expect(state.banner?.kind == .connected)
    #expect(state.deadline == .seconds(14))
    #expect(show(.online, queued: 2, at: .milliseconds(13_999)) == "Connected")
    #expect(state.deadline == .seconds(14), "What is sent meanwhile does not prolong it.")
    #expect(show(.online, at: .seconds(14)) == nil)
    #expect(state.deadline == nil)
  }

  // N2.6
  @Test mutating func `a launch that connects within a second shows nothing`() {
    #expect(show(.reconnecting, at: .zero) == nil)
    #expect(state.deadline == .seconds(1))
    #expect(show(.online, at: .milliseconds(900)) == nil)
    #expect(state.deadline == nil)
    #expect(show(.online, at: .seconds(3)) == nil)
  }

  // N2.4, N2.5
  @Test mutating func `a launch that does not connect within a second says so`() {
    _ = show(.reconnecting, at: .zero)
    #expect(show(.reconnecting, at: .seconds(1)) == "Reconnecting...")
    #expect(show(.online, at: .seconds(5)) == "Connected")
  }

  // N2.4
  @Test mutating func `online -> reconnecting says so at once`() {
    _ = show(.online, at: .zero)
    #expect(show(.reconnecting, at: .milliseconds(10)) == "Reconnecting...")
  }

  // N2.4, O7.1
  @Test mutating func `reconnecting -> signed out, once the credentials were refused for 3 s`() {
    _ = show(.online, at: .zero)
    #expect(show(.reconnecting, isRefused: true, at: .seconds(10)) == "Reconnecting...")
    #expect(state.deadline == .seconds(13))
    #expect(show(.online, at: .seconds(11)) == "Connected", "The next attempt brought others.")
    _ = show(.reconnecting, isRefused: true, at: .seconds(20))
    _ = show(.reconnecting, isRefused: true, at: .milliseconds(22_999))
    #expect(state.banner?.kind == .reconnecting)
    #expect(
      show(.reconnecting, isRefused: true, at: .seconds(23))
        == "Signed out - Messages will send when signed in")
    #expect(state.deadline == nil)
    #expect(show(.reconnecting, at: .seconds(24)) == "Reconnecting...", "Nobody knows yet.")
  }

  // N2.3, N2.5
  @Test mutating func `connected -> offline, and the 2 s are forgotten`() {
    _ = show(.offline, at: .zero)
    _ = show(.online, at: .seconds(1))
    #expect(show(.offline, queued: 1, at: .seconds(2)) == "Offline - 1 message queued")
    #expect(state.deadline == nil)
    #expect(show(.offline, queued: 1, at: .seconds(9)) == "Offline - 1 message queued")
    #expect(show(.online, at: .seconds(10)) == "Connected")
    #expect(state.deadline == .seconds(12))
  }

  // O15, N2.6
  @Test mutating func `reconnecting -> nothing when another process has the connection`() {
    _ = show(.reconnecting, at: .zero)
    #expect(show(.reconnecting, at: .seconds(1)) == "Reconnecting...")
    #expect(show(.otherProcess, at: .seconds(2)) == nil)
  }
}

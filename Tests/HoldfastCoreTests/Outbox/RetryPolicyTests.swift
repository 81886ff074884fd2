import Testing

@testable import HoldfastCore

@Suite struct RetryPolicyTests {
  // O7.1
  @Test func `a message is retried at once, after one second, after three, and then no more`() {
    let policy = ChatConfiguration.RetryPolicy()
    #expect(policy.delay(afterAttempt: 1, dice: 0.9) == .zero)
    #expect(policy.delay(afterAttempt: 2, dice: 0) == .seconds(1))
    #expect(policy.delay(afterAttempt: 3, dice: 0) == .seconds(3))
    #expect(policy.delay(afterAttempt: 4, dice: 0) == nil)
    #expect(policy.delay(afterAttempt: 0, dice: 0) == nil)
    #expect(policy.delay(afterAttempt: .max, dice: 0) == nil)
  }

  // O7.2
  @Test func `a policy without waits tries once`() {
    #expect(ChatConfiguration.RetryPolicy(delays: []).delay(afterAttempt: 1, dice: 0.5) == nil)
  }

  // O7.2, N3.1
  @Test func `the link's waits double up to the cap, and stay there`() {
    let policy = ChatConfiguration.RetryPolicy(
      reconnectDelay: .milliseconds(500), longestReconnectDelay: .seconds(30))
    let waits = (1...8).map { policy.reconnectDelay(afterFault: $0, dice: 0) }
    #expect(waits == [0.5, 1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
    #expect(policy.reconnectDelay(afterFault: .max, dice: 0) == .seconds(30))
    #expect(policy.reconnectDelay(afterFault: 0, dice: 0) == .milliseconds(500))
  }

  // O7.2, N3.1
  @Test func `the dice lengthen a wait by at most the jitter, and never shorten it`() {
    let policy = ChatConfiguration.RetryPolicy(jitter: 0.3)
    for dice in [0, 0.25, 0.5, 0.999] {
      let delay = policy.delay(afterAttempt: 2, dice: dice)!
      #expect(delay >= .seconds(1) && delay < .milliseconds(1300))
      let link = policy.reconnectDelay(afterFault: 20, dice: dice)
      #expect(link >= .seconds(30) && link < .seconds(39))
    }
  }
}

import Testing

@testable import HoldfastCore

@Suite(.timeLimit(.minutes(10))) struct NetworkPathTests {
  @Test func `observers are notified of a change, and not of the same again`() async {
    let path = NetworkPath(isUp: true)
    let signal = Signal()
    let subscription = path.subscribe(signal)
    path.set(isUp: true)
    path.set(isUp: false)
    #expect(!path.isUp)
    // A wait for a raised signal returns at once.
    await signal.wait()
    path.unsubscribe(subscription)
    path.set(isUp: true)
    #expect(path.isUp)
  }

  // N1.2
  @Test func `an interface is reported like a change of the path, and forgotten with it`() async {
    let path = NetworkPath()
    #expect(path.interface == nil)
    let signal = Signal()
    let subscription = path.subscribe(signal)
    path.set(isUp: true, interface: .wifi)
    await signal.wait()
    #expect(path.interface == .wifi)
    path.set(isUp: true, interface: .cellular)
    await signal.wait()
    path.set(isUp: false, interface: .cellular)
    await signal.wait()
    #expect(path.interface == nil)
    path.unsubscribe(subscription)
  }
}

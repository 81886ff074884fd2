import Testing

@testable import Holdfast

@Suite struct NetworkPathTests {
  @Test func `observers are told of a change, and not of the same again`() async {
    let path = NetworkPath(isUp: true)
    let signal = Signal()
    let subscription = path.subscribe(signal)
    path.set(isUp: true)
    path.set(isUp: false)
    #expect(!path.isUp)
    // Raised, it returns at once.
    await signal.wait()
    path.unsubscribe(subscription)
    path.set(isUp: true)
    #expect(path.isUp)
  }
}

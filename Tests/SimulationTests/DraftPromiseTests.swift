import Testing

@testable import HoldfastTesting

@Suite struct DraftPromiseTests {
  @Test func `what was stored comes back, or what was typed since`() {
    var promise = DraftPromise()
    promise.store("a")
    promise.type("ab", at: .seconds(1))
    #expect(promise.mayComeBack(after: .seconds(1.5), savesItself: true) == ["a", "ab"])
  }

  // D2
  @Test func `after a pause only the last that was typed comes back`() {
    var promise = DraftPromise()
    promise.type("ab", at: .seconds(1))
    #expect(promise.mayComeBack(after: .seconds(1.8), savesItself: true) == ["ab"])
    #expect(promise.mayComeBack(after: .seconds(1.8), savesItself: false) == ["", "ab"])
  }

  // D6
  @Test func `white space is no draft`() {
    var promise = DraftPromise()
    promise.store("  ")
    #expect(promise.text.isEmpty)
  }
}

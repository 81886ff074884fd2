import Testing

@testable import Simulator

@Suite struct DraftPromiseTests {
  @Test func `a stored text comes back, or a text that was typed since`() {
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

  // D10
  @Test
  func `a restored text is in front of newer text, and may be lost until it is stored`() {
    var promise = DraftPromise()
    promise.type("new", at: .seconds(1))
    #expect(promise.bringBack("old", at: .seconds(2)) == "old\nnew")
    #expect(promise.mayComeBack(after: .seconds(2), savesItself: true) == ["", "new", "old\nnew"])
  }

  // D6
  @Test func `white space is no draft`() {
    var promise = DraftPromise()
    promise.store("  ")
    #expect(promise.text.isEmpty)
  }
}

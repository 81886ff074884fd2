import Holdfast
import Testing

@testable import Simulator

/// A check that cannot fail proves nothing. Each promise about a local conversation is broken here.
@Suite struct DevicePromiseTests {
  private static let first = DevicePromise.Row(id: "1", sender: "alice", text: "one")
  private static let second = DevicePromise.Row(id: "2", sender: "alice", text: "two")

  private func new(_ text: String, id: MessageID? = nil) -> DevicePromise.New {
    DevicePromise.New(id: id, sender: "alice", text: text)
  }

  /// Alice has sent two messages.
  private func eg() -> DevicePromise {
    var promise = DevicePromise("here")
    for (text, rows) in [("one", [Self.first]), ("two", [Self.first, Self.second])] {
      promise.begin(.add([new(text)]), in: "alice")
      #expect(promise.resolve("alice", in: rows, isDone: true) == nil)
    }
    return promise
  }

  private let stays = "what is stored on the device stays"
  private let doneOrNot = "a call on the device is done or refused"

  // L1.1, L2.2
  @Test func `a message that is lost, changed, moved or doubled, and one of somebody else, are reported`() {
    let (first, second) = (Self.first, Self.second)
    var edited = first
    edited.text = "other"
    var reacted = second
    reacted.reactions = ["👍"]
    let foreign = DevicePromise.Row(id: "3", sender: "mallory", text: "three")
    func broken(_ rows: [DevicePromise.Row]) -> String? { eg().violation(in: rows)?.promise }
    #expect(broken([first, second]) == nil)
    for rows in [[first], [second], [edited, second], [first, reacted], [second, first]] {
      #expect(broken(rows) == stays)
    }
    #expect(broken([first, second, second]) == "only its user writes on the device")
    #expect(broken([first, second, foreign]) == "only its user writes on the device")
  }

  // L1.1
  @Test func `a call that returned is done, and one that was refused is not`() {
    func resolved(_ act: DevicePromise.Act, _ rows: [DevicePromise.Row], isDone: Bool?) -> String? {
      var promise = eg()
      promise.begin(act, in: "alice")
      return promise.resolve("alice", in: rows, isDone: isDone)?.promise
    }
    let (first, second) = (Self.first, Self.second)
    let third = DevicePromise.Row(id: "3", sender: "alice", text: "three")
    var edited = first
    edited.text = "eins"
    var reacted = first
    reacted.reactions = ["👍"]
    let acts: [(act: DevicePromise.Act, done: [DevicePromise.Row])] = [
      (.add([new("three")]), [first, second, third]), (.edit("1", "eins"), [edited, second]),
      (.delete("1"), [second]), (.react("1", "👍", isWanted: true), [reacted, second]),
    ]
    for (act, done) in acts {
      let undone = [first, second]
      #expect(resolved(act, done, isDone: true) == nil)
      #expect(resolved(act, undone, isDone: false) == nil)
      #expect(resolved(act, done, isDone: false) == doneOrNot)
      #expect(resolved(act, undone, isDone: true) == doneOrNot)
      // The process ended in the call.
      for rows in [done, undone] {
        var promise = eg()
        promise.begin(act, in: "alice")
        #expect(promise.violation(in: rows) == nil, "\(act)")
        #expect(promise.resolve("alice", in: rows, isDone: nil) == nil)
        #expect(promise.violation(in: rows) == nil)
        #expect(promise.violation(in: rows == done ? undone : done) != nil)
      }
    }
    #expect(
      resolved(.add([new("three")]), [first, third, second], isDone: true) == "the order on the device holds")
  }

  // L2.3
  @Test func `messages of one call are all there or none`() {
    var promise = eg()
    promise.begin(.add([new("three", id: "3"), new("four", id: "4")]), in: "alice")
    let third = DevicePromise.Row(id: "3", sender: "alice", text: "three")
    #expect(promise.violation(in: [Self.first, Self.second, third])?.promise == "a call is done or not")
    let fourth = DevicePromise.Row(id: "4", sender: "alice", text: "four")
    #expect(promise.violation(in: [Self.first, Self.second, third, fourth]) == nil)
  }

  @Test func `a process that ended in a call hears of what another one has done since`() {
    var promise = eg()
    promise.begin(.edit("1", "eins"), in: "alice")
    promise.begin(.edit("1", "uno"), in: "alice-extension")
    var edited = Self.first
    edited.text = "uno"
    #expect(promise.resolve("alice-extension", in: [edited, Self.second], isDone: true) == nil)
    #expect(promise.resolve("alice", in: [edited, Self.second], isDone: nil) == nil)
    #expect(promise.violation(in: [edited, Self.second]) == nil)
    edited.text = "eins"
    #expect(promise.violation(in: [edited, Self.second])?.promise == stays)
  }
}

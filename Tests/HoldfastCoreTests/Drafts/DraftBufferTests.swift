import Testing

@testable import HoldfastCore

@Suite struct DraftBufferTests {
  private func content(_ text: String, cursor: Int? = nil) -> DraftContent {
    DraftContent(text, selection: cursor.map { TextRange(start: $0, end: $0) })
  }

  private func typing(_ text: String, at now: Duration = .zero, over stored: String = "") -> DraftBuffer {
    var buffer = DraftBuffer(stored: content(stored))
    _ = buffer.edit(content(text), now: now)
    return buffer
  }

  // D2.1
  @Test func `a pause of 700 ms after the last keystroke writes`() {
    var buffer = DraftBuffer(stored: content(""))
    #expect(buffer.edit(content("h"), now: .seconds(1)) == .sleep(until: .milliseconds(1700)))
    #expect(buffer.edit(content("hi"), now: .milliseconds(1500)) == .sleep(until: .milliseconds(2200)))
    #expect(buffer.action(now: .milliseconds(2199)) == .sleep(until: .milliseconds(2200)))
    #expect(buffer.action(now: .milliseconds(2200)) == .write)
  }

  // D3.1
  @Test func `typing without a pause writes after 10 s all the same`() {
    var buffer = DraftBuffer(stored: content(""))
    var action = DebouncedSave.Action.none
    var text = ""
    for tenth in 0..<100 {
      text += "x"
      action = buffer.edit(content(text), now: .milliseconds(100 * tenth))
      if case .write = action { Issue.record("it was written at \(tenth)") }
    }
    #expect(action == .sleep(until: .seconds(10)))
    #expect(buffer.edit(content(text + "x"), now: .seconds(10)) == .write)
  }

  // D3
  @Test func `both intervals are configurable`() {
    var buffer = DraftBuffer(
      stored: content(""), intervals: .init(pause: .seconds(2), ceiling: .seconds(3)))
    #expect(buffer.edit(content("a"), now: .zero) == .sleep(until: .seconds(2)))
    #expect(buffer.edit(content("ab"), now: .seconds(2)) == .sleep(until: .seconds(3)))
  }

  // D18.1
  @Test func `nothing is written when nothing changed`() {
    var buffer = DraftBuffer(stored: content("hi"))
    #expect(buffer.edit(content("hi"), now: .zero) == .none)
    #expect(buffer.deadline == nil)
  }

  // D18.1
  @Test func `text that was typed and deleted again is not written`() {
    var buffer = typing("hi!", over: "hi")
    #expect(buffer.edit(content("hi"), now: .milliseconds(100)) == .none)
    #expect(buffer.deadline == nil)
    #expect(!buffer.hasChanges)
  }

  // D6.1, D18.1
  @Test func `white space over nothing is not written, and over a draft it is`() {
    #expect(typing("  ").deadline == nil)
    #expect(!typing("  ").hasChanges)
    #expect(typing("  ", over: "hi").hasChanges)
    #expect(typing("", over: "hi").hasChanges)
  }

  // D6
  @Test func `after an empty content was written, white space changes nothing`() {
    var buffer = typing(" ", over: "hi")
    buffer.wrote(buffer.content)
    #expect(!buffer.hasChanges)
    #expect(buffer.content.text == " ")
    #expect(buffer.deadline == nil)
  }

  // D1.5, D9
  @Test func `a cursor that moved is a change`() {
    var buffer = DraftBuffer(stored: content("hi", cursor: 2))
    #expect(buffer.edit(content("hi", cursor: 1), now: .zero) == .sleep(until: .milliseconds(700)))
  }

  @Test func `text that is typed during a write is written next`() {
    var buffer = typing("h")
    _ = buffer.edit(content("hi"), now: .milliseconds(600))
    buffer.wrote(content("h"))
    #expect(buffer.hasChanges)
    #expect(buffer.deadline == .milliseconds(1300))
    buffer.wrote(content("hi"))
    #expect(buffer.deadline == nil)
  }

  @Test func `text that is deleted during a write is deleted on disk too`() {
    var buffer = typing("h")
    #expect(buffer.edit(content(""), now: .milliseconds(900)) == .none)
    buffer.wrote(content("h"))
    #expect(buffer.hasChanges)
    #expect(buffer.deadline == .milliseconds(1600))
  }

  // S4
  @Test func `a failed save is tried again 10 s later, and typing does not hasten it`() {
    var buffer = typing("h")
    buffer.failed(now: .seconds(1))
    #expect(buffer.action(now: .seconds(1)) == .sleep(until: .seconds(11)))
    #expect(buffer.edit(content("hi"), now: .seconds(2)) == .sleep(until: .seconds(11)))
    #expect(buffer.action(now: .seconds(11)) == .write)
    buffer.wrote(content("hi"))
    #expect(buffer.edit(content("hi!"), now: .seconds(12)) == .sleep(until: .milliseconds(12700)))
  }

  // S4
  @Test func `a failed save is not tried sooner because the text was taken back and typed again`() {
    var buffer = typing("h")
    buffer.failed(now: .seconds(1))
    #expect(buffer.edit(content(""), now: .seconds(2)) == .none)
    #expect(buffer.edit(content("h"), now: .seconds(3)) == .sleep(until: .seconds(11)))
    buffer.replace(with: content(""))
    #expect(buffer.edit(content("a"), now: .seconds(4)) == .sleep(until: .milliseconds(4700)))
  }

  // D7
  @Test func `content that is replaced as a whole is stored as it is`() {
    var buffer = typing("hi")
    buffer.failed(now: .zero)
    buffer.replace(with: content("taken back"))
    #expect(buffer.content == content("taken back"))
    #expect(!buffer.hasChanges)
    #expect(buffer.deadline == nil)
  }
}

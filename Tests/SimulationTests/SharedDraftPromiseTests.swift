import Testing

@testable import Simulator

// O15, D13
@Suite struct SharedDraftPromiseTests {
  private func eg(_ body: (inout SharedDraftPromise) -> Void) -> [String] {
    var promise = SharedDraftPromise()
    body(&promise)
    return promise.kept
  }

  @Test func `a stored text is kept while another process types`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.type("bread", over: "", in: "extension", at: .seconds(1))
      promise.store("extension")
    }
    #expect(kept == ["milk", "bread"])
  }

  @Test func `a process that has seen a text may remove it`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.type("bread", over: "milk", in: "extension", at: .seconds(1))
    }
    #expect(kept.isEmpty)
  }

  @Test func `a pause stores what is typed, and an end before it does not`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.type("bread", over: "", in: "extension", at: .milliseconds(700))
      promise.end("app", at: .seconds(1), savesItself: true)
      promise.end("extension", at: .seconds(1), savesItself: true)
    }
    #expect(kept == ["milk"])
  }

  @Test func `a sent or discarded text is not kept`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.release("milk and bread", in: "extension", isSent: true)
    }
    #expect(kept.isEmpty)
  }

  @Test func `a text that came back and was removed by the other process is noticed late`() {
    let kept = eg { promise in
      promise.type("bread", over: "milk", in: "extension", at: .zero)
      promise.keepUnlessReleased("milk")
      promise.keepUnlessReleased("eggs")
    }
    #expect(kept == ["eggs"])
  }

  @Test func `text that is typed and deleted again leaves the others' text as it is`() {
    func typesBack(_ elsewhere: (inout SharedDraftPromise) -> Void) -> [String] {
      eg { promise in
        promise.type("milk", over: "", in: "app", at: .zero)
        promise.store("app")
        promise.type("mi", over: "milk", in: "app", at: .seconds(1))
        elsewhere(&promise)
        promise.type("milk", over: "mi", in: "app", at: .milliseconds(1500))
        promise.autosave(at: .seconds(3))
      }
    }
    #expect(typesBack { _ in } == ["milk"])
    #expect(typesBack { $0.release("milk", in: "extension", isSent: true) }.isEmpty)
    #expect(typesBack { $0.type("tea", over: "milk", in: "extension", at: .seconds(1)) } == ["tea"])
  }

  @Test func `text that is typed again after a save is a text of its own`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.type("mi", over: "milk", in: "app", at: .seconds(1))
      promise.type("tea", over: "milk", in: "extension", at: .seconds(1))
      promise.type("milk", over: "mi", in: "app", at: .seconds(3))
      promise.autosave(at: .seconds(5))
    }
    #expect(Set(kept) == ["tea", "milk"])
  }

  @Test func `the same text again is nothing typed`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.type("tea", over: "milk", in: "extension", at: .seconds(1))
      promise.type("milk", over: "milk", in: "app", at: .seconds(1))
      promise.autosave(at: .seconds(3))
    }
    #expect(kept == ["tea"])
  }
}

import Testing

@testable import HoldfastTesting

// O15, D13
@Suite struct SharedDraftPromiseTests {
  private func eg(_ body: (inout SharedDraftPromise) -> Void) -> [String] {
    var promise = SharedDraftPromise()
    body(&promise)
    return promise.kept
  }

  @Test func `what was stored is kept, whoever types beside it`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.type("bread", over: "", in: "extension", at: .seconds(1))
      promise.store("extension")
    }
    #expect(kept == ["milk", "bread"])
  }

  @Test func `whoever has seen a text may take it out`() {
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

  @Test func `what was sent or discarded is kept no more`() {
    let kept = eg { promise in
      promise.type("milk", over: "", in: "app", at: .zero)
      promise.store("app")
      promise.release("milk and bread", in: "extension", isSent: true)
    }
    #expect(kept.isEmpty)
  }

  @Test func `what came back and was taken out by the other process is found out late`() {
    let kept = eg { promise in
      promise.type("bread", over: "milk", in: "extension", at: .zero)
      promise.keepUnlessReleased("milk")
      promise.keepUnlessReleased("eggs")
    }
    #expect(kept == ["eggs"])
  }

  @Test func `what is typed and taken back is as it was, and stays what others have made of it`() {
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

  @Test func `what is typed again after it could be stored is a text of its own`() {
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

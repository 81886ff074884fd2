import Holdfast

/// Windows and their places (rules R2, R8).
extension PhoneUser {
  private static let windows = 3

  /// Moves to a place in one of the windows. Now and then a window is closed for good.
  func move() {
    let (number, isClosed) = world.scheduler.draw {
      (Int.random(in: 1...Self.windows, using: &$0), $0.chance(0.15))
    }
    let id = SceneID(rawValue: "\(name)-window-\(number)")
    if isClosed { return close(id) }
    let steps = phone.memory.withLock { memory in
      memory.steps += 1
      return memory.steps
    }
    let place = "\(id) at \(steps)"
    // A closed window is opened again.
    let window = phone.window(id, of: client)
    guard !gate.isDead else { return }
    phone.memory.withLock {
      $0.places[id, default: PlacePromise(stored: nil)].go(to: place, at: world.scheduler.now)
    }
    window.go(to: place)
    world.count(deed: "move")
  }

  private func close(_ id: SceneID) {
    let before = phone.memory.withLock { memory in
      let before = memory.places[id] ?? PlacePromise(stored: nil)
      memory.places[id, default: before].mayClose()
      return before
    }
    do {
      try client.closeScene(id)
      guard !gate.isDead else { return }
      phone.memory.withLock { memory in
        memory.places[id] = PlacePromise(stored: nil)
        memory.windows[id] = nil
      }
      world.trace(name, "closes \(id)")
      world.count(deed: "close a window")
    } catch {
      guard !gate.isDead else { return }
      phone.memory.withLock { $0.places[id] = before }
      checkRefusal(error)
    }
  }
}

extension SimulatedPhone {
  /// Returns the window that is open in this launch. Opens it when it is not.
  func window(_ id: SceneID, of client: ChatClient) -> PlainScene {
    if let there = memory.withLock({ $0.windows[id] }) { return there }
    let window = PlainScene(client, id)
    memory.withLock { $0.windows[id] = window }
    return window
  }

  /// Checks that each window is where it was last stored, or where it moved since, and never where another window
  /// was.
  func checkPlaces(_ client: ChatClient, diedAt: Duration?) {
    // The engine of a shared store runs only in the foreground.
    let savesItself = store == nil && world.plan.faults[.phoneDisk] == 0
    let places = memory.withLock { memory in
      memory.windows = [:]
      return memory.places
    }
    for (id, promise) in places.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let found = window(id, of: client).restored
      let expected = promise.mayComeBack(after: diedAt ?? .zero, savesItself: savesItself)
      if !expected.contains(found) {
        fail(
          "a place comes back",
          expected: expected.map { $0 ?? "nowhere" }.joined(separator: " or ") + " in \(id)",
          found: found ?? "nowhere")
      }
      memory.withLock { $0.places[id] = PlacePromise(stored: found) }
    }
  }
}

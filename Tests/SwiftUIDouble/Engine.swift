// The engine of a test double of SwiftUI: it keeps the state of views, draws them again when values that they read
// have changed, and runs their actions on appearance, changes and disappearance.
// docs/decisions/0060-the-views-run-against-a-double.md describes what it shows and its limits.
import Foundation
import Observation

/// The position of a view below its parent.
enum Key: Hashable {
  case index(Int)
  case branch(Bool)
  case id(AnyHashable)
  case part(String)
}

/// The state of a view at one place. It lasts while its parent shows a view of the same type under the same key
/// (https://developer.apple.com/documentation/swiftui/view/id(_:)).
@MainActor final class Slot {
  let type: Any.Type
  private(set) var children: [Key: Slot] = [:]
  /// The storages of the view's states, in the order of its properties.
  var states: [Int: AnyObject] = [:]
  /// The memory of a modifier between two updates.
  var memory: Any?
  var onRemoval: [() -> Void] = []
  private(set) var isAlive = true
  fileprivate var pass = 0

  init(_ type: Any.Type) { self.type = type }

  /// The slot of a child. Nil when this update has already drawn a view there: the two would share their state.
  fileprivate func child(_ key: Key, _ type: Any.Type, in pass: Int) -> Slot? {
    if let slot = children[key], slot.type == type {
      guard slot.pass != pass else { return nil }
      slot.pass = pass
      return slot
    }
    children[key]?.remove()
    let slot = Slot(type)
    slot.pass = pass
    children[key] = slot
    return slot
  }

  /// Removes the slots that this update has not drawn.
  fileprivate func sweep(_ pass: Int) {
    for (key, child) in children {
      if child.pass == pass {
        child.sweep(pass)
      } else {
        child.remove()
        children[key] = nil
      }
    }
  }

  func remove() {
    isAlive = false
    for child in children.values { child.remove() }
    for run in onRemoval { run() }
    (children, onRemoval, states, memory) = ([:], [], [:], nil)
  }
}

/// The place at which a view is drawn.
@MainActor struct Place {
  let slot: Slot
  let window: WindowEngine
  var isEnabled = true
  /// The scroll view around the view.
  var scroller: Scroller?

  func enter(_ key: Key, _ type: Any.Type) -> Place {
    var place = self
    if let slot = slot.child(key, type, in: window.pass) {
      place = Place(slot: slot, window: window, isEnabled: isEnabled, scroller: scroller)
    } else {
      window.problem("two views of one parent have the identity \(key)")
    }
    return place
  }
}

/// A view that the engine draws itself. All others have a body.
@MainActor protocol Drawn {
  func draw(in place: Place) -> [Node]
}

extension View {
  @MainActor func nodes(at key: Key = .index(0), in place: Place) -> [Node] {
    let here = place.enter(key, Self.self)
    if let drawn = self as? any Drawn { return drawn.draw(in: here) }
    for (number, property) in Mirror(reflecting: self).children.enumerated() {
      (property.value as? any Kept)?.keep(in: here.slot, number)
    }
    return [Node(.view, body.nodes(in: here)) { $0.name = "\(Self.self)" }]
  }
}

/// A property whose value outlasts the view that names it.
@MainActor protocol Kept {
  func keep(in slot: Slot, _ number: Int)
}

/// One window: a view at its root, and its present drawing.
@MainActor final class WindowEngine {
  /// The window that is being drawn.
  private(set) static var drawn: WindowEngine?

  private let root: any View
  let number: Int
  private let slot = Slot(Void.self)
  fileprivate(set) var pass = 0
  private(set) var nodes: [Node] = []
  private(set) var problems: [String] = []
  /// The work that views asked to run after this update: onChange, onAppear and tasks, in the order of their views.
  private var later: [() -> Void] = []
  /// The reports of a layout once the views are placed: changes of a scrolled content.
  private var afterLayout: [() -> Void] = []
  private var isUpdating = false
  private var isDirty = true
  var onUpdate: () -> Void = {}

  /// The values that the system keeps for this window.
  var storage: [String: String] {
    didSet { try? JSONEncoder().encode(storage).write(to: Self.file(number)) }
  }
  /// The activity that the window offers to other devices.
  var activity: NSUserActivity?
  /// The values around the view that is being drawn.
  var environment = EnvironmentValues()
  /// What the window's views do with a link, and with an activity of another device, by its type.
  var opensURL: ((URL) -> Void)?
  var proceeds: [String: (NSUserActivity) -> Void] = [:]

  init(_ root: any View, number: Int) {
    (self.root, self.number) = (root, number)
    let kept = try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: Self.file(number)))
    storage = kept ?? [:]
  }

  private static func file(_ number: Int) -> URL {
    URL(fileURLWithPath: ProcessInfo.processInfo.environment["HOME"] ?? ".")
      .appendingPathComponent(".scene-\(number)")
  }

  func problem(_ text: String) { if !problems.contains(text) { problems.append(text) } }

  /// Runs `body` after the update, unless the view has disappeared by then.
  func afterUpdate(of slot: Slot, _ body: @escaping () -> Void) {
    later.append { if slot.isAlive { body() } }
  }

  func afterLayout(of slot: Slot, _ body: @escaping () -> Void) {
    afterLayout.append { if slot.isAlive { body() } }
  }

  /// Draws until nothing changes.
  func update() {
    guard !isUpdating, slot.isAlive else { return }
    isUpdating = true
    var rounds = 0
    while isDirty || !later.isEmpty || !afterLayout.isEmpty {
      rounds += 1
      guard rounds < 200 else {
        problem("the views change for ever")
        break
      }
      if isDirty { draw() }
      let work = later.isEmpty ? afterLayout : later
      if later.isEmpty { afterLayout = [] } else { later = [] }
      for run in work { run() }
    }
    isUpdating = false
    onUpdate()
  }

  private func draw() {
    isDirty = false
    pass += 1
    (Self.drawn, activity, opensURL, proceeds) = (self, nil, nil, [:])
    nodes = withObservationTracking {
      root.nodes(in: Place(slot: slot, window: self))
    } onChange: { [weak self, pass] in
      // The notification comes before the change. A view that was drawn again since has read it.
      if Thread.isMainThread { MainActor.assumeIsolated { self?.isDirty = true } }
      Task { @MainActor in self?.change(since: pass) }
    }
    slot.sweep(pass)
  }

  /// Draws again, because something outside of the views has changed.
  func redraw() {
    isDirty = true
    update()
  }

  private func change(since pass: Int) {
    if pass == self.pass { isDirty = true }
    update()
  }

  /// Closes the window, as its user does.
  func close() {
    slot.remove()
    nodes = []
    onUpdate()
  }
}

import HoldfastCore
import Observation

/// A snapshot whose parts are observed apart. A view that has read one part is told of that part's changes alone. A view
/// that has read the whole is told of every change.
@MainActor final class ObservedSnapshot<Value: Equatable & Sendable>: Observable {
  typealias Path<Part> = KeyPath<Value, Part> & Sendable

  /// A part that somebody has read.
  private struct Part {
    let differs: @MainActor (Value, Value) -> Bool
    let willChange: @MainActor () -> Void
    let didChange: @MainActor () -> Void
  }

  private let registrar = ObservationRegistrar()
  /// The whole, for the model itself. Reading it observes nothing.
  private(set) var stored: Value
  private var parts: [PartialKeyPath<Value>: Part] = [:]

  init(_ value: Value) { stored = value }

  /// The whole.
  var value: Value {
    get {
      registrar.access(self, keyPath: \.value)
      return stored
    }
    set {
      let changed = parts.values.filter { $0.differs(stored, newValue) }
      registrar.willSet(self, keyPath: \.value)
      for part in changed { part.willChange() }
      stored = newValue
      for part in changed { part.didChange() }
      registrar.didSet(self, keyPath: \.value)
    }
  }

  /// One part.
  subscript<PartValue: Equatable>(path: Path<PartValue>) -> PartValue {
    if parts[path] == nil { parts[path] = part(path) }
    registrar.access(self, keyPath: \.[path])
    return stored[keyPath: path]
  }

  private func part<PartValue: Equatable>(_ path: Path<PartValue>) -> Part {
    Part { before, after in
      // Texts that only look the same are different: a text field has to take over the new one.
      if let before = before[keyPath: path] as? String, let after = after[keyPath: path] as? String {
        return !before.hasSameBytes(as: after)
      }
      return before[keyPath: path] != after[keyPath: path]
    } willChange: { [unowned self] in
      registrar.willSet(self, keyPath: \.[path])
    } didChange: { [unowned self] in
      registrar.didSet(self, keyPath: \.[path])
    }
  }
}

/// The rows of a timeline, each observed apart: a token of a reply concerns nobody who has read other rows.
@MainActor final class ObservedRows: Observable {
  private let registrar = ObservationRegistrar()
  private var rows: [MessageID: MessageRow] = [:]
  private var read: Set<MessageID> = []

  subscript(id: MessageID) -> MessageRow? {
    read.insert(id)
    registrar.access(self, keyPath: \.[id])
    return rows[id]
  }

  func show(_ shown: [MessageRow]) {
    let fresh = Dictionary(shown.map { ($0.id, $0) }) { first, _ in first }
    let changed = read.filter { fresh[$0] != rows[$0] }
    for id in changed { registrar.willSet(self, keyPath: \.[id]) }
    rows = fresh
    for id in changed { registrar.didSet(self, keyPath: \.[id]) }
  }
}

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
  private var kept: Value
  /// Changes that were told, and are made when somebody looks.
  private var amendment: (@MainActor (inout Value) -> Void)?
  private var parts: [PartialKeyPath<Value>: Part] = [:]

  init(_ value: Value) { kept = value }

  /// The whole, for the model itself. Reading it observes nothing.
  private(set) var stored: Value {
    get {
      if let amendment {
        self.amendment = nil
        amendment(&kept)
      }
      return kept
    }
    set {
      amendment = nil
      kept = newValue
    }
  }

  /// Tells that the whole has changed, and makes the change once somebody looks. Parts that are not among `untouched` are
  /// looked at now, if anybody has read them.
  ///
  /// - Parameter change: the change, with those of earlier calls that nobody has looked at.
  func amend(
    besides untouched: Set<PartialKeyPath<Value>>, _ change: @escaping @MainActor (inout Value) -> Void
  ) {
    guard untouched.isSuperset(of: parts.keys) else {
      var fresh = kept
      change(&fresh)
      amendment = nil
      return value = fresh
    }
    registrar.willSet(self, keyPath: \.value)
    amendment = change
    registrar.didSet(self, keyPath: \.value)
  }

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
  /// The messages that rows answer.
  private var quoted: Set<MessageID> = []

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
    quoted = Set(shown.compactMap(\.quote?.id))
    for id in changed { registrar.didSet(self, keyPath: \.[id]) }
  }

  /// Shows how far replies have come. Returns those that have a row; nil when more has changed, and the rows must be read.
  func grow(
    _ replies: Set<MessageID>, _ stream: (MessageID) -> Replies.Door.Stream?
  ) -> Set<MessageID>? {
    guard quoted.isDisjoint(with: replies) else { return nil }
    let shown = replies.filter(rows.keys.contains)
    for id in shown {
      guard let stream = stream(id), rows[id]?.canGrow(to: stream) == true else { return nil }
      let isRead = read.contains(id)
      if isRead { registrar.willSet(self, keyPath: \.[id]) }
      rows[id]?.grow(to: stream)
      if isRead { registrar.didSet(self, keyPath: \.[id]) }
    }
    return shown
  }

  /// The content of a row, for the model itself.
  func content(of id: MessageID) -> MessageContent? { rows[id]?.content }
}

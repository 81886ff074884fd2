import HoldfastCore
import Observation

/// A snapshot whose parts are observed separately. A view that has read one part is notified of that part's changes
/// alone. A view that has read the whole is notified of every change.
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
  /// Changes that were announced, and are applied at the next access.
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

  /// Announces that the whole has changed, and applies the change at the next access. Parts that are not among
  /// `untouched` are compared now, if anybody has read them.
  ///
  /// - Parameter change: the change, with those of earlier calls that were not applied yet.
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

/// The rows of a timeline, each observed separately: a token of a reply notifies no reader of other rows.
@MainActor final class ObservedRows: Observable {
  private let registrar = ObservationRegistrar()
  private var rows = ShownRows([])
  private var read: Set<MessageID> = []

  subscript(id: MessageID) -> MessageRow? {
    read.insert(id)
    registrar.access(self, keyPath: \.[id])
    return rows.row(id)
  }

  func show(_ shown: [MessageRow]) {
    var fresh = ShownRows(shown)
    let changed = read.filter { fresh.row($0) != rows.row($0) }
    for id in changed { registrar.willSet(self, keyPath: \.[id]) }
    rows = fresh
    for id in changed { registrar.didSet(self, keyPath: \.[id]) }
  }

  /// Shows the growth of replies. Returns those that have a row; nil when more has changed, and the rows must be
  /// read.
  func grow(
    _ replies: Set<MessageID>, _ stream: (MessageID) -> Replies.SharedState.Stream?
  ) -> Set<MessageID>? {
    guard rows.answered().isDisjoint(with: replies) else { return nil }
    var shown: Set<MessageID> = []
    for id in replies {
      guard var row = rows.row(id) else { continue }
      guard let stream = stream(id), row.canGrow(to: stream) else { return nil }
      row.grow(to: stream)
      let isRead = read.contains(id)
      if isRead { registrar.willSet(self, keyPath: \.[id]) }
      rows.grown[id] = row
      if isRead { registrar.didSet(self, keyPath: \.[id]) }
      shown.insert(id)
    }
    return shown
  }

  /// Brings the rows of a snapshot up to date with replies that have grown since they were read.
  func grow(_ shown: inout [MessageRow]) {
    guard !rows.grown.isEmpty else { return }
    for index in shown.indices { rows.grown[shown[index].id].map { shown[index].content = $0.content } }
  }
}

/// The rows that were read, found by their IDs. The indexes are made when they are first needed.
private struct ShownRows {
  private let rows: [MessageRow]
  private var positions: [MessageID: Int]?
  private var found: Set<MessageID>?
  /// The rows of replies that have grown since. Changing `rows` would copy all of them.
  var grown: [MessageID: MessageRow] = [:]

  init(_ rows: [MessageRow]) { self.rows = rows }

  mutating func row(_ id: MessageID) -> MessageRow? {
    if let row = grown[id] { return row }
    let positions = positions ?? Dictionary(rows.indices.map { (rows[$0].id, $0) }) { first, _ in first }
    self.positions = positions
    return positions[id].map { rows[$0] }
  }

  /// The messages that rows answer.
  mutating func answered() -> Set<MessageID> {
    let answered = found ?? Set(rows.compactMap(\.quote?.id))
    found = answered
    return answered
  }
}

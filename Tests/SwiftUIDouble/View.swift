// The declarations that views consist of: views, builders, states and bindings.
import Foundation
import Observation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("Never has no value.") }
}

/// A view whose drawing the engine knows.
@MainActor protocol DrawnView: View, Drawn where Body == Never {}

extension View where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body.") }
}

@resultBuilder public struct ViewBuilder {
  nonisolated public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  nonisolated public static func buildBlock() -> EmptyView { EmptyView() }
  nonisolated public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  nonisolated public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    var parts: [any View] = []
    repeat parts.append(each content)
    return TupleView(parts: parts)
  }
  nonisolated public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  nonisolated public static func buildEither<First: View, Second: View>(
    first: First
  ) -> _ConditionalContent<First, Second> { .first(first) }
  nonisolated public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> _ConditionalContent<First, Second> { .second(second) }
}

public struct EmptyView: DrawnView {
  nonisolated public init() {}
  func draw(in place: Place) -> [Node] { [] }
}

public struct TupleView<T>: DrawnView {
  nonisolated(unsafe) let parts: [any View]
  nonisolated init(parts: [any View]) { self.parts = parts }
  func draw(in place: Place) -> [Node] {
    parts.enumerated().flatMap { number, part in part.nodes(at: .index(number), in: place) }
  }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

extension Optional: Drawn where Wrapped: View {
  func draw(in place: Place) -> [Node] { map { $0.nodes(at: .branch(true), in: place) } ?? [] }
}

public enum _ConditionalContent<First, Second> {
  case first(First)
  case second(Second)
}

extension _ConditionalContent: View where First: View, Second: View {
  public typealias Body = Never
}

extension _ConditionalContent: Drawn where First: View, Second: View {
  func draw(in place: Place) -> [Node] {
    switch self {
    case .first(let view): view.nodes(at: .branch(true), in: place)
    case .second(let view): view.nodes(at: .branch(false), in: place)
    }
  }
}

public struct Group<Content> {
  let content: Content
}

extension Group: View, Drawn, DrawnView where Content: View {
  nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func draw(in place: Place) -> [Node] { content.nodes(in: place) }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  let data: Data
  let id: (Data.Element) -> ID
  let content: (Data.Element) -> Content
}

extension ForEach: View, Drawn, DrawnView where Content: View {
  func draw(in place: Place) -> [Node] {
    data.flatMap { element in content(element).nodes(at: .id(AnyHashable(id(element))), in: place) }
  }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.init(data: data, id: { $0.id }, content: content)
  }
}

extension ForEach where Content: View {
  nonisolated public init(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.init(data: data, id: { $0[keyPath: id] }, content: content)
  }
}

// States and bindings.

public protocol DynamicProperty {}

/// The value of a state. The views that read it are drawn again when it is written.
@Observable final class StateStorage<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A state outside a drawn view has its first value, and ignores writes. Each time a view is made its states get
/// first values, and all but those of the first time are dropped
/// (https://developer.apple.com/documentation/swiftui/state).
@propertyWrapper public struct State<Value>: DynamicProperty {
  /// Represents this value of the view, and refers to the storage at the place where that is drawn. A value that is
  /// drawn at two places would have one state at both: no view here is.
  final class Link: @unchecked Sendable {
    var storage: StateStorage<Value>?
  }

  private let first: Value
  private let link = Link()

  public init(wrappedValue value: Value) { first = value }
  public init(initialValue value: Value) { first = value }

  public var wrappedValue: Value {
    get { link.storage?.value ?? first }
    nonmutating set { link.storage?.value = newValue }
  }

  public var projectedValue: Binding<Value> {
    Binding(
      read: { [link, first] in link.storage?.value ?? first }, write: { [link] in link.storage?.value = $0 })
  }
}

extension State where Value: ExpressibleByNilLiteral {
  public init() { self.init(wrappedValue: nil) }
}

/// The focus of a field: the driver moves it.
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
  public struct Binding {
    let state: State<Value>
  }

  private let state: State<Value>

  public init() where Value == Bool { state = State(initialValue: false) }

  public var wrappedValue: Value {
    get { state.wrappedValue }
    nonmutating set { state.wrappedValue = newValue }
  }
  public var projectedValue: Binding { Binding(state: state) }
}

extension FocusState: Kept {
  func keep(in slot: Slot, _ number: Int) { state.keep(in: slot, number) }
}

extension State: @unchecked Sendable where Value: Sendable {}

extension State: Kept {
  func keep(in slot: Slot, _ number: Int) {
    let storage = slot.states[number] as? StateStorage<Value> ?? StateStorage(first)
    slot.states[number] = storage
    link.storage = storage
  }
}

/// A value that the system keeps for a window, until its user closes it: here a file of the process's home.
@propertyWrapper public struct SceneStorage<Value>: DynamicProperty {
  /// The window is known where the view is drawn.
  final class Link: @unchecked Sendable {
    var window: WindowEngine?
  }

  private let first: String
  private let key: String
  private let link = Link()

  public init(wrappedValue: Value, _ key: String) where Value == String {
    (first, self.key) = (wrappedValue, key)
  }

  public var wrappedValue: Value {
    get {
      let link = link, key = key
      return (onMainActor { link.window?.storage[key] } ?? first) as! Value
    }
    nonmutating set {
      let link = link, key = key, text = newValue as? String
      onMainActor { link.window?.storage[key] = text }
    }
  }
}

extension SceneStorage: Kept {
  func keep(in slot: Slot, _ number: Int) { link.window = WindowEngine.drawn }
}

/// A value of the user's defaults. All views that show it change with it. What a view writes outlasts a kill, because
/// another process of the system keeps it.
@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
  private let key: String
  private let storage: StateStorage<String>

  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == String {
    self.key = key
    storage = onMainActor { AppStorages.storage(of: key, wrappedValue) }
  }

  public var wrappedValue: Value {
    get { storage.value as! Value }
    nonmutating set {
      guard let text = newValue as? String else { return }
      storage.value = text
      UserDefaults.standard.set(text, forKey: key)
      UserDefaults.standard.synchronize()
    }
  }
}

/// The values of the process's defaults that views show.
@MainActor private enum AppStorages {
  private static var known: [String: StateStorage<String>] = [:]

  static func storage(of key: String, _ first: String) -> StateStorage<String> {
    let storage = known[key] ?? StateStorage(UserDefaults.standard.string(forKey: key) ?? first)
    known[key] = storage
    return storage
  }
}

@dynamicMemberLookup @propertyWrapper public struct Binding<Value> {
  let read: () -> Value
  let write: (Value) -> Void

  init(read: @escaping () -> Value, write: @escaping (Value) -> Void) {
    (self.read, self.write) = (read, write)
  }

  /// Apple's takes `@isolated(any) @Sendable` closures. Swift 6.3 crashes when it emits a call of a synchronous one.
  @preconcurrency public init(
    get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void
  ) {
    self.init(
      read: { onMainActor(get) },
      write: { value in
        let carried = Carried(value: value)
        onMainActor { set(carried.value) }
      })
  }

  public init(projectedValue: Binding<Value>) { self = projectedValue }

  public static func constant(_ value: Value) -> Binding<Value> { Binding(read: { value }, write: { _ in }) }

  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }
  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(
      read: { read()[keyPath: keyPath] },
      write: { subject in
        var whole = read()
        whole[keyPath: keyPath] = subject
        write(whole)
      })
  }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
  public var wrappedValue: Value
  public var projectedValue: Bindable<Value> { self }

  fileprivate init(of value: Value) { wrappedValue = value }

  @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
  public init(wrappedValue: Value) { fatalError("An object that can be observed is needed.") }
}

extension Bindable where Value: AnyObject {
  public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<
    Subject
  > {
    let object = wrappedValue
    return Binding<Subject>(read: { object[keyPath: keyPath] }, write: { object[keyPath: keyPath] = $0 })
  }
}

extension Bindable where Value: AnyObject, Value: Observable {
  public init(wrappedValue: Value) { self.init(of: wrappedValue) }
  public init(_ wrappedValue: Value) { self.init(of: wrappedValue) }
}

/// Runs views and their closures on the main actor only.
private func onMainActor<Value>(_ body: @MainActor () -> Value) -> Value {
  withoutActuallyEscaping(body) { body in MainActor.assumeIsolated { Carried(value: body()) }.value }
}

private struct Carried<Value>: @unchecked Sendable { let value: Value }

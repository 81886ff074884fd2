import Foundation

// The environment of views: every value is its default, unless a view around sets it.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
  public var accessibilityReduceMotion: Bool { false }
  public var scenePhase: ScenePhase { .active }
  @MainActor public var openURL: OpenURLAction {
    get { self[OpenURLKey.self] }
    set { self[OpenURLKey.self] = newValue }
  }
  public var layoutDirection: LayoutDirection {
    get { self[LayoutDirectionKey.self] }
    set { self[LayoutDirectionKey.self] = newValue }
  }
}

private struct OpenURLKey: EnvironmentKey {
  static let defaultValue = OpenURLAction()
}

private struct LayoutDirectionKey: EnvironmentKey {
  static let defaultValue = LayoutDirection.leftToRight
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  /// The values at the place where the view is drawn.
  final class Link {
    var values = EnvironmentValues()
  }

  private let path: KeyPath<EnvironmentValues, Value>
  private let link = Link()
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
  public var wrappedValue: Value { link.values[keyPath: path] }
}

extension Environment: Kept {
  func keep(in slot: Slot, _ number: Int) {
    if let window = WindowEngine.drawn { link.values = window.environment }
  }
}

extension View {
  nonisolated public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V)
    -> some View
  {
    nonisolated(unsafe) let (keyPath, value) = (keyPath, value)
    return Modified(self) { view, place in
      let around = place.window.environment
      place.window.environment[keyPath: keyPath] = value
      defer { place.window.environment = around }
      return view.nodes(in: place)
    }
  }
}

/// An address that the system would open is noted, and nothing is fetched.
public struct OpenURLAction: Sendable {
  public struct Result: Sendable {
    fileprivate let opens: Bool
    public static let handled = Result(opens: false)
    public static let discarded = Result(opens: false)
    public static let systemAction = Result(opens: true)
  }

  @MainActor static var opened: [URL] = []
  nonisolated(unsafe) private let handler: (URL) -> Result

  fileprivate init() { handler = { _ in .systemAction } }
  @MainActor @preconcurrency public init(handler: @escaping (URL) -> Result) { self.handler = handler }

  @MainActor public func callAsFunction(_ url: URL) {
    if handler(url).opens { Self.opened.append(url) }
  }
}

public enum LayoutDirection: Hashable, Sendable {
  case leftToRight, rightToLeft
}

public enum ScenePhase: Sendable {
  case background, inactive, active
}

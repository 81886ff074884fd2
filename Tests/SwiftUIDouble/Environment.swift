import Foundation

// The environment of views: every value is its default, unless a view around it has set it.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]
  /// The values for the view that is being drawn.
  @MainActor static var here = EnvironmentValues()

  public init() {}

  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
  public var accessibilityReduceMotion: Bool { false }
  public var scenePhase: ScenePhase { .active }
  public var openURL: OpenURLAction { OpenURLAction() }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  private final class Link {
    var values = EnvironmentValues()
  }

  private let path: KeyPath<EnvironmentValues, Value>
  private let link = Link()
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
  public var wrappedValue: Value { link.values[keyPath: path] }
}

extension Environment: Kept {
  func keep(in slot: Slot, _ number: Int) { link.values = EnvironmentValues.here }
}

extension View {
  nonisolated public func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View {
    nonisolated(unsafe) let (keyPath, value) = (keyPath, value)
    return Modified(self) { view, place in
      var place = place
      place.environment[keyPath: keyPath] = value
      return view.nodes(in: place)
    }
  }
}

/// An opened address is noted, and nothing is fetched.
public struct OpenURLAction: Sendable {
  @MainActor static var opened: [URL] = []
  @MainActor public func callAsFunction(_ url: URL) { Self.opened.append(url) }
}

public enum ScenePhase: Sendable {
  case background, inactive, active
}

import Foundation

// The environment of views: every value is its default, unless a view sets it.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { K.defaultValue }
    set {}
  }
  public var accessibilityReduceMotion: Bool { false }
  public var scenePhase: ScenePhase { .active }
  public var openURL: OpenURLAction { OpenURLAction() }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  private let path: KeyPath<EnvironmentValues, Value>
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

/// An opened address is noted, and nothing is fetched.
public struct OpenURLAction: Sendable {
  @MainActor static var opened: [URL] = []
  @MainActor public func callAsFunction(_ url: URL) { Self.opened.append(url) }
}

public enum ScenePhase: Sendable {
  case background, inactive, active
}

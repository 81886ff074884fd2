import Foundation
import HoldfastCore
import HoldfastStore

/// A migration of a window's stored state from one version of the app's types to the next (rule R6). Keep the earlier
/// version's types beside it.
///
/// ```swift
/// SceneMigration(from: 1) { (old: SceneState<RouteV1, Sheet>) in
///   old.map(route: Route.init, sheet: { $0 })
/// }
/// ```
public struct SceneMigration: Sendable {
  package let version: Int
  let migrate: @Sendable (Data) throws -> Data

  /// - Parameters:
  ///   - version: the version that the migration reads. The result has the version after it.
  ///   - convert: converts a state. If it throws, the window starts empty.
  public init<OldRoute, OldSheet, NewRoute, NewSheet>(
    from version: Int,
    _ convert:
      @escaping @Sendable (SceneState<OldRoute, OldSheet>) throws -> SceneState<NewRoute, NewSheet>
  ) {
    self.version = version
    migrate = { data in
      let old = try JSONDecoder().decode(SceneState<OldRoute, OldSheet>.self, from: data)
      return try SceneCoding.encode(convert(old))
    }
  }
}

/// The coding of a window's stored state.
enum SceneCoding {
  static let maximumBytes = StoredScene.maximumBytes

  /// Encodes a state. Equal states have equal bytes.
  static func encode(_ state: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(state)
  }

  /// Decodes a state of any version up to `version`. Throws when the state is damaged, too large, or newer than the
  /// app, or when a migration is missing or fails.
  static func decode<Route, Sheet>(
    _ stored: StoredScene, version: Int, migrations: [SceneMigration],
    as _: SceneState<Route, Sheet>.Type = SceneState<Route, Sheet>.self
  ) throws -> SceneState<Route, Sheet> {
    guard var data = stored.state else { throw Unreadable.tooLarge }
    guard stored.version <= version else { throw Unreadable.newer }
    var present = stored.version
    while present < version {
      guard let step = migrations.first(where: { $0.version == present }) else { throw Unreadable.older }
      data = try step.migrate(data)
      guard data.count <= maximumBytes else { throw Unreadable.tooLarge }
      present += 1
    }
    return try JSONDecoder().decode(SceneState<Route, Sheet>.self, from: data)
  }

  enum Unreadable: String, Error {
    case tooLarge
    /// A newer version of the app stored the state.
    case newer
    /// There is no migration from the state's version.
    case older
  }

  /// The reason why a state could not be read, without any of its contents. The description of a decoder's error has
  /// contents.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as Unreadable: error.rawValue
    case is DecodingError: "damaged"
    default: "\(type(of: error))"
    }
  }
}

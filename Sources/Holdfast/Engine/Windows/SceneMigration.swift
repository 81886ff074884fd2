import Foundation
import HoldfastCore
import HoldfastStore

/// Turns what an earlier version of the app has stored of a window into what the next one stores (SPEC R6). Keep the
/// earlier version's types beside it.
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
  ///   - version: of what is read; what is returned is of the version after it.
  ///   - convert: whatever it throws, the window starts anew.
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

/// What is stored of a window, as bytes.
enum SceneCoding {
  static let maximumBytes = StoredScene.maximumBytes

  /// The same state has the same bytes.
  static func encode(_ state: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(state)
  }

  /// Reads a state of any version up to `version`. Throws for what is damaged, too large, or newer than the app.
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
    /// Of a version of the app that is newer than this one.
    case newer
    /// There is no migration from its version.
    case older
  }

  /// Why a state could not be read, without anything that is in it: the description of a decoder's error has contents.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as Unreadable: error.rawValue
    case is DecodingError: "damaged"
    default: "\(type(of: error))"
    }
  }
}

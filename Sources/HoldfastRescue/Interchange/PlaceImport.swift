import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Imports the place where the user was in an earlier version of the app, from its user defaults, into the
  /// restoration of a window (rules H10, R6): the selected project, the selected conversation, the open sheet, and
  /// the offsets of scrolled lists under the names that the app gave them.
  ///
  /// ```swift
  /// typealias Place = SceneState<Route, Sheet>
  /// for source in ImportSource.values(of: defaults) where source.format == .place {
  ///   try client.importPlace(from: source, into: "main", as: Place.self) { sheet in
  ///     Sheet(try JSONDecoder().decode(EarlierSheet.self, from: sheet))
  ///   }
  /// }
  /// let scene: SceneModel<Route, Sheet> = SceneModel(client, "main")
  /// ```
  ///
  /// Call it before the window's ``SceneModel`` is made. A window that is open, or has a place of its own, keeps it,
  /// and the source counts as `alreadyHere`. A place is imported into a window once: a second call changes nothing,
  /// also after the window was closed for good. A missing conversation is reported when the window opens, as with
  /// every restored place. Costs one transaction. The place is on disk when this returns.
  ///
  /// - Parameters:
  ///   - source: a source with the format `place`.
  ///   - scene: the ID of the window.
  ///   - type: the window's state, with the app's own routes and sheets.
  ///   - version: the version of the app's routes and sheets, as passed to ``SceneModel``.
  ///   - sheet: makes a sheet from the JSON that the earlier app wrote. Nil: no sheet is opened. An error is
  ///     reported among the problems, and no sheet is opened.
  /// - Returns: the report, with `places` 1 when the place was imported. A damaged place is a problem, and changes
  ///   nothing.
  /// - Throws: ``ChatError`` with code `fileUnreadable`; `fileUnrecognized` when the source is not a place;
  ///   `malformedID` when the window's ID is malformed; `sceneNotEncodable` or `sceneTooLarge`; or a
  ///   storage code.
  @discardableResult
  public nonisolated func importPlace<Route, Sheet>(
    from source: ImportSource, into scene: SceneID, as type: SceneState<Route, Sheet>.Type, version: Int = 1,
    sheet: (_ json: Data) throws -> Sheet?
  ) throws -> ImportReport {
    guard source.format == .place else {
      throw ChatError(.fileUnrecognized, "The source is not the place of a window. Choose another one.")
    }
    guard scene.isWellFormed else {
      throw ChatError(.malformedID, "A window's ID is 1 to 255 bytes without control characters.")
    }
    let entry = source.key ?? "file"
    var report = ImportReport(.place)
    report.bytes = source.byteCount
    let fields: PlaceFields
    do {
      fields = try PlaceFields(source.open { _ in }.cursor)
    } catch let damage as JSONDamage {
      report.note(.init(damage), entry, at: 0)
      return report
    }
    var state = SceneState<Route, Sheet>(
      project: fields.project, conversation: fields.conversation, scroll: fields.scroll)
    if let bytes = fields.sheet {
      do { state.sheet = try sheet(bytes) } catch {
        report.note(.wrongFields, entry + ".sheet", at: fields.sheetAt)
      }
    }
    if try scenes.bring(
      state, into: scene, version: version, as: "place:" + ImportedID.make([scene.rawValue]))
    {
      report.places = 1
    } else {
      report.alreadyHere = 1
    }
    return report
  }
}

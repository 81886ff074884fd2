import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = SceneExample

/// States of an earlier version of the app, and states that cannot be read (rule R6).
@MainActor @Suite struct SceneMigrationTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private enum OldRoute: String, Codable, Hashable { case people }
  private struct Refusal: Error, CustomStringConvertible { let description = "a secret of the app" }

  private static let toVersion2 = SceneMigration(from: 1) { (old: SceneState<OldRoute, eg.Sheet>) in
    old.map(route: { $0 == .people ? "members" : nil }, sheet: { $0 })
  }
  private static let toVersion3 = SceneMigration(from: 2) { (old: SceneState<String, eg.Sheet>) in
    old.map(route: { $0 == "members" ? eg.Route.members : nil }, sheet: { $0 })
  }

  private func store(_ bytes: Data, version: Int) throws {
    try bench.client().store.write {
      try $0.scenes.save(eg.scene, version: version, state: bytes, now: EngineExample.date)
    }
  }

  private var old: SceneState<OldRoute, eg.Sheet> {
    SceneState(conversation: EngineExample.conversation, path: [.people], sheet: .settings)
  }

  // R6.1
  @Test func `an old version is migrated by the app, step by step, and stored as the new one`() throws {
    try store(SceneCoding.encode(old), version: 1)
    let client = try bench.client()
    let scene = SceneModel<eg.Route, eg.Sheet>(
      client, eg.scene, version: 3, migrations: [Self.toVersion3, Self.toVersion2])
    #expect(scene.problem == nil)
    #expect(scene.state.path == [.members])
    scene.resolve(sheet: { $0 })
    #expect(scene.state.sheet == .settings)
    scene.state.project = "p"
    try client.hardSave()
    let stored = try #require(try client.storedRow())
    #expect(stored.version == 3)
  }

  // R6.2, R6.3
  @Test(arguments: [
    ("not JSON", 1), (#"{"path":[{"unknown":{}}]}"#, 1), ("{\"path\":", 1), ("", 1), ("\u{0}\u{1}", 1),
    (#"{"conversation":7}"#, 1), ("{}", 2), ("{}", .max), ("{}", 0), ("{}", .min), ("[[[[[[]]]]]]", 1),
  ])
  func `an unreadable place is cleared, reported without contents, and the launch goes on`(
    text: String, version: Int
  ) throws {
    try store(Data(text.utf8), version: version)
    let client = try bench.client()
    let scene = SceneModel<eg.Route, eg.Sheet>(client, eg.scene)
    #expect(scene.problem?.code == .sceneUnreadable)
    #expect(scene.state == eg.State())
    #expect(try client.storedScene() == nil, "It was cleared.")
    let line = try #require(bench.log.lines.last { $0.contains("place not readable") })
    #expect(text.count < 4 || !line.contains(text))
    #expect(!line.contains("unknown"))
    scene.dismissNotice()
    #expect(scene.problem == nil)
    #expect(SceneModel<eg.Route, eg.Sheet>(try bench.client(), eg.scene).problem == nil)
  }

  // R6.2, R6.3
  @Test func `a migration that fails starts the window anew, and its error is not logged`() throws {
    try store(SceneCoding.encode(old), version: 1)
    let refusing = SceneMigration(from: 1) { (_: SceneState<OldRoute, eg.Sheet>) -> eg.State in
      throw Refusal()
    }
    let scene = SceneModel<eg.Route, eg.Sheet>(
      try bench.client(), eg.scene, version: 2, migrations: [refusing])
    #expect(scene.problem?.code == .sceneUnreadable)
    #expect(scene.state == eg.State())
    #expect(bench.log.lines.contains { $0.contains("place not readable") })
    #expect(!bench.log.lines.contains { $0.contains("secret") })
  }

  // R6.2
  @Test func `a state that is far too large is not even read`() throws {
    let large = Data(
      ("{\"project\":\"" + String(repeating: "x", count: SceneCoding.maximumBytes) + "\"}").utf8)
    try store(large, version: 1)
    let client = try bench.client()
    #expect(try client.storedRow() == StoredScene(version: 1, state: nil))
    let scene = SceneModel<eg.Route, eg.Sheet>(client, eg.scene)
    #expect(scene.problem?.code == .sceneUnreadable)
    #expect(scene.state.project == nil)
  }

  // R6.3, S4
  @Test func `an unreadable place that cannot be cleared does not stop the launch`() throws {
    try store(Data("?".utf8), version: 1)
    let client = try bench.client()
    bench.gate.fail()
    let scene = SceneModel<eg.Route, eg.Sheet>(client, eg.scene)
    #expect(scene.problem?.code == .sceneUnreadable)
    bench.gate.heal()
    scene.state.project = "p"
    try client.hardSave()
    #expect(SceneModel<eg.Route, eg.Sheet>(try bench.client(), eg.scene).state.project == "p")
  }

  // R6.3
  @Test func `bytes of any kind are read or refused, and nothing traps`() throws {
    let bytes = Array(try SceneCoding.encode(eg.full))
    var dice = SeededRandom(seed: 6)
    for _ in 0..<2000 {
      var mutated = bytes
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let index = Int.random(in: 0..<mutated.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: mutated[index] = UInt8.random(in: 0...255, using: &dice)
        case 1: mutated.remove(at: index)
        default: mutated.insert(UInt8.random(in: 0...255, using: &dice), at: index)
        }
      }
      let stored = StoredScene(version: 1, state: Data(mutated))
      guard let state: eg.State = try? SceneCoding.decode(stored, version: 1, migrations: []) else {
        continue
      }
      #expect(throws: Never.self) { try SceneCoding.encode(state) }
    }
  }
}

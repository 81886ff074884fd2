import Testing

@testable import Holdfast
@testable import HoldfastCore

@Suite struct ScenePhasesTests {
  // A1.6
  @Test func `an app is in the background when all of its known windows are`() {
    var phases = ScenePhases()
    #expect(!phases.isInBackground, "It was just launched.")
    for (phase, scene, hasMoved) in [
      (ChatSession.Phase.active, SceneID("a"), false), (.background, "b", false), (.inactive, "a", false),
      (.background, "a", true), (.background, "a", false), (.inactive, "b", true), (.active, "b", false),
      (.background, "b", true),
    ] {
      let moves = phases.set(phase, of: scene)
      #expect(moves == hasMoved)
    }
    #expect(phases.isInBackground)
  }

  // A1.6
  @Test
  func
    `the last visible window that closes leaves the app in the background, and the very last one as it is`()
  {
    var phases = ScenePhases()
    _ = phases.set(.background, of: "a")
    _ = phases.set(.active, of: "b")
    let visibleCloses = phases.close("b")
    #expect(visibleCloses && phases.isInBackground)
    let lastCloses = phases.close("a")
    #expect(!lastCloses && phases.isInBackground)
    let newOpens = phases.set(.inactive, of: "c")
    let newCloses = phases.close("c")
    #expect(newOpens && !newCloses && !phases.isInBackground)
  }
}

import Foundation
import Holdfast

/// Does one intent so many times and nothing else, so that its syncs can be counted from outside.
@MainActor enum SyncCount {
  static func run(_ intent: String, count: Int, in folder: URL) throws {
    let composer = ComposerModel(try Rig.openEmpty(in: folder), Rig.conversation)
    print("before \(count) x \(intent)")
    for number in 0..<count {
      composer.edit(typedText(number))
      switch intent {
      case "send": composer.send()
      case "draft": composer.hardSave()
      default: throw BenchmarkFailure("An intent is send or draft, not \(intent).")
      }
      if let problem = composer.snapshot.problem { throw BenchmarkFailure(problem) }
    }
    print("after \(count) x \(intent)")
  }
}

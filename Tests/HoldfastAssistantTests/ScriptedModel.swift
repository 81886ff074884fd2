import EngineFixtures
import Foundation
import HoldfastAssistant
import HoldfastTesting

/// A model whose answers a test scripts, in virtual time.
final class ScriptedModel: AnsweringModel {
  enum Step: Sendable {
    case part(ModelPart)
    case pause(Duration)
    case fail(any Error & Sendable)
  }

  let name: String
  let continuesAnswers: Bool
  private let scheduler: SeededScheduler
  private let scripts: Mutexed<[[Step]]>
  private let asked = Mutexed<[ModelPrompt]>([])

  /// - Parameter scripts: the script of the first answer, of the second and so on. The last script is used for all
  ///   later answers.
  init(_ bench: Bench, name: String = "m", continuesAnswers: Bool = true, _ scripts: [[Step]]) {
    (self.name, self.continuesAnswers, scheduler) = (name, continuesAnswers, bench.scheduler)
    self.scripts = Mutexed(scripts)
  }

  /// The prompts of the answers that were read.
  var prompts: [ModelPrompt] { asked.withLock { $0 } }

  func answer(_ prompt: ModelPrompt) -> ModelAnswer {
    ModelAnswer(parts: Answer(model: self, prompt: prompt))
  }

  private struct Answer: AsyncSequence, Sendable {
    let model: ScriptedModel
    let prompt: ModelPrompt

    struct Iterator: AsyncIteratorProtocol {
      let scheduler: SeededScheduler
      var steps: [Step]

      mutating func next() async throws -> ModelPart? {
        while !steps.isEmpty {
          switch steps.removeFirst() {
          case .part(let part): return part
          case .pause(let time): try await scheduler.sleep(until: scheduler.now + time)
          case .fail(let error): throw error
          }
        }
        return nil
      }
    }

    func makeAsyncIterator() -> Iterator {
      model.asked.withLock { $0.append(prompt) }
      let steps = model.scripts.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
      return Iterator(scheduler: model.scheduler, steps: steps)
    }
  }
}

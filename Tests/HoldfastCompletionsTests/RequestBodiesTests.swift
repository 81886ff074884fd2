import Foundation
import HoldfastCore
import Testing

@testable import HoldfastCompletions

/// The bodies of requests in all shapes, as they are kept beside this file (rule L16). With `HOLDFAST_WRITE_BODIES=1` the test
/// writes them anew, so that they can be judged by the vendors' own types before they are kept.
@Suite struct RequestBodiesTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Bodies/bodies.jsonl")

  private static let prompts: [ModelPrompt] = [
    ModelPrompt("Hello?"), ModelPrompt("Hello?", system: "Be brief."),
    ModelPrompt([.init(.user, "a"), .init(.assistant, "b"), .init(.user, "c"), .init(.user, "d")]),
    ModelPrompt(
      [.init(.user, "a"), .init(.assistant, "b"), .init(.system, "In rhymes."), .init(.user, "c")],
      system: "Be brief."),
    ModelPrompt([.init(.user, "a"), .init(.assistant, "b"), .init(.system, "Sum it up.")]),
    ModelPrompt([.init(.system, "Say hello.")]),
    ModelPrompt([.init(.user, "a"), .init(.assistant, " \n"), .init(.user, "🇩🇪 \"\\")]),
    ModelPrompt([.init(.user, "a"), .init(.assistant, "b"), .init(.assistant, "c"), .init(.user, "d")]),
  ]

  private static var settings: [CompletionModel.Settings] {
    var (plain, limited, further) = (
      CompletionModel.Settings(), CompletionModel.Settings(), CompletionModel.Settings()
    )
    plain.mostRepeats = 0
    limited.mostTokens = 64
    further.fields = Data(#"{"temperature":0.5,"stream_options":null,"store":null}"#.utf8)
    return [plain, limited, further]
  }

  private static func lines() throws -> [String] {
    let url = try #require(URL(string: "https://example.org/v1"))
    var lines: [String] = []
    for api in CompletionAPI.allCases {
      for settings in settings {
        for prompt in prompts {
          let model = CompletionModel(url, model: "m", api: api, settings: settings)
          lines.append(try line(of: model, prompt))
        }
      }
      // A server that has refused what it may, and one that wants the newer name.
      for learned in [["stream_options", "temperature"], []] {
        let model = CompletionModel(url, model: "m", api: api, settings: settings[1])
        model.habits.note { state in
          state.refused = Set(learned)
          state.limitName = learned.isEmpty && api == .chatCompletions ? "max_completion_tokens" : nil
        }
        lines.append(try line(of: model, prompts[0]))
      }
    }
    return lines
  }

  private static func line(of model: CompletionModel, _ prompt: ModelPrompt) throws -> String {
    let body = try JSONSerialization.jsonObject(
      with: try CompletionRequest(model: model, prompt: prompt).body())
    let line = try JSONSerialization.data(
      withJSONObject: ["api": model.api.rawValue, "body": body],
      options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: line, as: UTF8.self)
  }

  // L16.5, B10.1
  @Test func `each body is the one that was judged and kept`() throws {
    let lines = try Self.lines()
    if ProcessInfo.processInfo.environment["HOLDFAST_WRITE_BODIES"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
    }
    let kept = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self).split(separator: "\n")
    #expect(kept.map(String.init) == lines)
  }
}

/// The models that a server lists.
package struct ServedModels: Sendable {
  /// Their names, in the server's order. Nil: the server does not list them.
  var names: [String]?

  /// The name of the first model that can chat.
  var usual: String? { names?.first(where: Self.canChat) }

  /// At most ten names for a sentence, those that can chat first. Nil when none is known.
  var listed: String? {
    guard let names, !names.isEmpty else { return nil }
    let inOrder = names.filter(Self.canChat) + names.filter { !Self.canChat($0) }
    let others = names.count > 10 ? " and \(names.count - 10) others" : ""
    return inOrder.prefix(10).joined(separator: ", ") + others
  }

  /// Whether the server has models, and this one is not among them.
  func lacks(_ name: String) -> Bool { names.map { !$0.isEmpty && !$0.contains(name) } == true }

  /// Whether a model can chat, judging by its name: the names of other models mention vectors, images, speech, or
  /// the rating of texts.
  static func canChat(_ name: String) -> Bool {
    let name = name.lowercased()
    let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return !partsOfOthers.contains(where: name.contains) && !wordsOfOthers.contains(where: words.contains)
  }

  private static let partsOfOthers = [
    "dall-e", "deep-research", "diffusion", "embed", "moderation", "rerank", "transcri", "turbo-instruct",
    "whisper",
  ]
  private static let wordsOfOthers = [
    "audio", "babbage", "bge", "clip", "davinci", "e5", "flux", "gte", "guard", "image", "imagen", "minilm",
    "ocr", "realtime", "sdxl", "siglip", "sora", "speech", "tts", "veo",
  ]
}

/// The way in which a model's server is asked.
public enum CompletionAPI: String, Sendable, Codable, Hashable, CaseIterable {
  /// Chat completions: OpenAI's, which most servers and gateways speak, such as llama.cpp, vLLM and Ollama.
  case chatCompletions = "chat"
  /// OpenAI's responses.
  case responses
  /// Anthropic's messages.
  case messages
}

import Testing

@testable import HoldfastCommand

@Suite struct ServedModelsTests {
  @Test(arguments: [
    "text-embedding-3-small", "nomic-embed-text:latest", "embeddinggemma:300m", "models/gemini-embedding-001",
    "BAAI/bge-m3", "intfloat/e5-large-v2", "gte-Qwen2-7B-instruct", "all-minilm", "jina-reranker-v2",
    "rerank-v3.5", "whisper-1", "Systran/faster-distil-whisper-small.en", "tts-1-hd", "gpt-4o-mini-tts",
    "dall-e-3", "gpt-image-1", "sora-2", "omni-moderation-latest", "gpt-4o-transcribe",
    "gpt-4o-realtime-preview", "gpt-4o-audio-preview", "gpt-3.5-turbo-instruct", "babbage-002",
    "stable-diffusion-3", "meta-llama/Llama-Guard-4-12B", "imagen-4.0-generate-001", "o3-deep-research",
  ])
  func `a name says that its model does not chat`(name: String) {
    #expect(!ServedModels.canChat(name))
    #expect(!ServedModels.canChat(name.uppercased()))
    #expect(ServedModels(names: [name, "llama3.2:latest"]).usual == "llama3.2:latest")
    #expect(ServedModels(names: [name]).usual == nil)
  }

  @Test(arguments: [
    "tiny", "gpt-5", "gpt-4o-mini", "gpt-3.5-turbo", "llama3.2:latest", "Qwen/Qwen3-8B-Instruct",
    "models/gemini-2.5-flash", "claude-sonnet-4-5", "gemma3n:e4b", "mistral-small", "deepseek-r1:1.5b",
    "phi4",
    "mixtral:8x7b", "gpt-4o-search-preview", "openai/gpt-oss-20b", "llava:7b", "command-r", "granite3.3", "",
  ])
  func `other models chat`(name: String) { #expect(ServedModels.canChat(name)) }

  @Test func `a list names at most ten, those that chat first`() {
    #expect(ServedModels(names: ["text-embedding-004", "a", "b"]).listed == "a, b, text-embedding-004")
    #expect(
      ServedModels(names: (1...12).map(String.init)).listed == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 others")
    #expect(ServedModels(names: []).listed == nil && ServedModels().listed == nil)
  }

  @Test func `a server lacks a model only if it lists others`() {
    #expect(ServedModels(names: ["llama3.2:latest"]).lacks("llama3.2"))
    #expect(!ServedModels(names: ["tiny"]).lacks("tiny"))
    #expect(!ServedModels(names: []).lacks("tiny") && !ServedModels().lacks("tiny"))
  }
}

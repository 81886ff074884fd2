import ArgumentParser
import Foundation
import Holdfast
import HoldfastAssistant

/// A chat with a language model, in the terminal.
struct Chat: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Chat with a language model in the terminal. The history survives kill -9.",
    discussion: """
        holdfast chat --model http://127.0.0.1:8080/v1
        holdfast chat --model https://api.openai.com/v1 --name gpt-5 --key-file key

      Each line is a question, and so is what is pasted, however many lines it has. The words of the answer are shown \
      as they come. While an answer comes, /stop ends it. /help names the other commands. A line with a space in front \
      is never a command. The question is on disk before it leaves, and the words a quarter of a second after they come: \
      killed in the middle of an answer and started again, the chat has what had come, and offers to go on or to begin \
      anew. No answer is asked for twice by itself.

      The exit code is 1 when the model's server is not there, does not take the key or has no model that chats, and 2 \
      when the store or the file of the key cannot be used.
      """)

  @Option(help: "The base address of the model's server, such as https://api.openai.com/v1.") var model:
    String
  @Option(help: "The model's name, as its server knows it. By default the first one that can chat.")
  var name: String?
  @Option(help: "A file with the account's key, which nobody else can read (chmod 600).", completion: .file())
  var keyFile: NamedPath?
  @Option(help: "How the server is asked: chat, responses or messages.") var api = CompletionAPI
    .chatCompletions
  @Flag(help: "Let the model go on with an answer that was cut off. llama.cpp can; some services refuse it.")
  var continues = false
  @Option(help: "What the model is told before the conversation.") var system: String?
  @Option(help: "Further fields of each request, as a JSON object.") var fields: String?
  @Option(help: "The seconds for which the first word of an answer is waited for.") var firstWordLimit = 120.0
  @Option(help: "The seconds for which the next byte of an answer is waited for.") var silenceLimit = 30.0
  @Option(help: "The store's folder. By default one in the user's data folder.", completion: .directory)
  var store: NamedPath?
  @Option(help: "The conversation's ID.") var conversation: ConversationID = "chat"

  func validate() throws {
    guard [firstWordLimit, silenceLimit].allSatisfy({ $0 > 0 && $0 <= 86_400 }) else {
      throw ValidationError("A limit must be more than 0 and at most 86400 seconds.")
    }
  }

  func run() async throws {
    let choice = ModelChoice(
      address: model, name: name, api: api, keyFile: keyFile?.url.path, continues: continues, fields: fields,
      firstWordLimit: .seconds(firstWordLimit), silenceLimit: .seconds(silenceLimit))
    let (usual, served) = try await choice.served()
    let client = try open()
    let chat = try await TerminalChat(
      client, conversation, usual: usual, served: served, system: system,
      make: try choice.maker())
    await chat.run()
  }

  private func open() throws -> ChatClient {
    let location = store.map { StorageLocation.folder($0.url) } ?? .applicationSupport("chat")
    do {
      var configuration = ChatConfiguration()
      // Only problems are logged to the terminal.
      configuration.environment.logger.logLevel = .error
      return try ChatClient(
        storage: location, transport: DeviceTransport(), user: "me", configuration: configuration)
    } catch let error as ChatError {
      throw Complaint(error, about: try location.resolve())
    }
  }
}

extension CompletionAPI: ExpressibleByArgument {}

import Foundation
import Holdfast
import HoldfastAssistant

/// A conversation with a model on a terminal: the history, the answer as it arrives, and the possible commands.
@MainActor final class TerminalChat {
  /// The number of messages that are shown at the beginning.
  private static let shownAtFirst = 6
  /// The number of newest messages that are searched for the answer.
  private static let lookedAt = 50

  private let client: ChatClient
  private let chat: ConversationHandle
  private let assistant: Assistant
  private let names: ModelNames
  private let screen = TerminalScreen()
  private let mode = TerminalMode()
  /// The answer that is being shown, with its part on the terminal.
  private var current: (id: MessageID, text: String, reasoning: String)?
  /// The answer that can be continued or retried.
  private var unfinished: MessageRow?
  private let ended = Signal()

  init(
    _ client: ChatClient, _ conversation: ConversationID, usual: String, served: ServedModels,
    system: String?, make: @escaping @Sendable (String) -> CompletionModel
  ) throws {
    var configuration = Assistant.Configuration()
    configuration.system = system
    self.client = client
    names = ModelNames(usual: usual, served: served)
    assistant = Assistant(client, "assistant", configuration: configuration) { name in make(name ?? usual) }
    chat = try client.createConversation(
      conversation, title: "Chat", members: [client.user, assistant.member])
  }

  /// Chats until the input ends or the user leaves.
  func run() async {
    let signals = terminationSignals()
    mode.begin()
    defer { mode.end() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [client] in await client.run() }
      group.addTask { [assistant] in await assistant.run() }
      group.addTask { await self.follow() }
      group.addTask { await self.follow(signals) }
      group.addTask { [mode] in for await _ in continuationSignals() { mode.begin() } }
      showBeginning()
      for await line in TypedLine.standardInput(isKeyboard: mode.isKeyboard) {
        guard await carryOut(line) else { break }
      }
      await finish()
      group.cancelAll()
    }
    try? await client.enterBackground()
  }

  private func showBeginning() {
    screen.say("\(names.present(in: chat)) — /help says what can be done")
    let rows = (try? chat.messages(last: Self.shownAtFirst)) ?? []
    let offered = rows.last.flatMap { $0.actions.contains(.retryReply) ? $0 : nil }
    for row in rows { screen.show(row, withEnd: row.id != offered?.id) }
    if let offered { offer(offered) }
    screen.prompt()
  }

  /// Carries out a line. Returns false when the user leaves.
  private func carryOut(_ typed: TypedLine) async -> Bool {
    switch ChatLine(typed, hasUnfinished: unfinished != nil) {
    case .command(.quit, _): return false
    case .command(.stop, _):
      await stop()
      return true
    default: break
    }
    // The answer is shown to its end before anything else begins. Its end may offer letters.
    await finish()
    do {
      try await perform(ChatLine(typed, hasUnfinished: unfinished != nil))
    } catch { screen.say((error as? any LocalizedError)?.errorDescription ?? "\(error)") }
    if current == nil { screen.prompt() }
    return true
  }

  private func perform(_ line: ChatLine) async throws {
    let asQuestion = "With a space in front, the line is a question."
    switch line {
    case .nothing: break
    case .question(let question): begin(try await assistant.ask(question, in: chat.id))
    case .command(let command, let argument): try await perform(command, argument)
    case .misspelled(let word):
      screen.say("There is no command \(word). \(asQuestion) /help says what can be done.")
    case .overfilled(.history): screen.say("/history takes a number of messages. \(asQuestion)")
    case .overfilled(.model): screen.say("/model takes one name. \(asQuestion)")
    case .overfilled(let command): screen.say("/\(command) stands alone in its line. \(asQuestion)")
    }
  }

  private func perform(_ command: ChatCommand, _ argument: String) async throws {
    switch command {
    case .continue: try await resume { try await self.assistant.continueAnswer($0) }
    case .retry: try await resume { try await self.assistant.retry($0) }
    case .keep: try keepEarlier()
    case .again: try await answerAgain()
    case .earlier: try bringBackEarlier()
    case .search: try await search(argument)
    case .history: for row in try chat.messages(last: Int(argument) ?? 20) { screen.show(row) }
    case .model: try chooseModel(argument)
    case .cost: try showCosts()
    case .help: screen.say(Self.help)
    // These do not wait for the end of the answer.
    case .stop, .quit: break
    }
  }

  private static let help = """
    A line is a question, and so is what is pasted. /stop ends an answer, /retry begins it anew, /continue goes on with \
    it, /again asks for another one, /earlier brings back the one before, /search WORDS finds, /history [N] shows, \
    /model [NAME] changes who answers, /cost counts, /quit leaves.
    """

  private func resume(_ act: @escaping @Sendable (MessageID) async throws -> Void) async throws {
    guard let row = unfinished else { return screen.say("No answer was cut off.") }
    try await act(row.id)
    begin(row.id)
  }

  /// The newest message, if it is a whole answer.
  private func lastAnswer() throws -> MessageRow? {
    try chat.messages(last: 1).last.flatMap { $0.actions.contains(.regenerateReply) ? $0 : nil }
  }

  private func answerAgain() async throws {
    guard let row = try lastAnswer() else { return screen.say("There is no whole answer at the end.") }
    try await assistant.regenerate(row.id)
    begin(row.id)
  }

  private func bringBackEarlier() throws {
    guard let row = try lastAnswer(), let earlier = try client.message(row.id).versions().first else {
      return screen.say("The last answer was never another one.")
    }
    try client.message(row.id).restoreVersion(earlier.id)
    for row in try chat.messages(last: 1) { screen.show(row) }
  }

  private func keepEarlier() throws {
    guard let row = unfinished, row.actions.contains(.keepEarlierReply) else {
      return screen.say("No answer was to be given again.")
    }
    try client.message(row.id).keepEarlierReply()
    unfinished = nil
    for row in try chat.messages(last: 1) { screen.show(row) }
  }

  private func search(_ words: String) async throws {
    guard !words.isEmpty else { return screen.say("Give a word to find: /search ferry") }
    let found = try client.search(words, in: chat.id)
    for hit in found.hits {
      screen.say("\(hit.createdAt.ISO8601Format())  \(hit.sender.shownName): \(hit.excerpt.text)")
    }
    if found.hits.isEmpty { screen.say("Nothing found.") }
  }

  private func chooseModel(_ name: String) throws {
    guard !name.isEmpty else { return screen.say(names.list(in: chat)) }
    try chat.setMetadata(try JSONEncoder().encode(["assistant": Assistant.Settings(model: name)]))
    screen.say(
      "\(name) answers from now on." + (names.served.lacks(name) ? " The server does not list it." : ""))
  }

  private func showCosts() throws {
    let costs = try assistant.costs(in: chat.id)
    screen.say(
      "Costs: \(costs.requests) requests, \(costs.usage.input) tokens read, "
        + "\(costs.usage.output) written")
  }

  private func begin(_ answer: MessageID) {
    unfinished = nil
    current = (answer, "", "")
    // It may have ended before the first look.
    look()
  }

  private func stop() async {
    guard let current else { return screen.say("No answer is coming.") }
    try? await assistant.stop(current.id)
  }

  /// Returns when the answer has ended, and its end is shown.
  private func finish() async {
    while current != nil, !Task.isCancelled { await ended.wait() }
  }

  private func follow() async {
    for await _ in chat.timeline(limit: 1) { look() }
  }

  /// Ctrl-C stops the answer, and ends the program when no answer is under way.
  private func follow(_ signals: AsyncStream<Int32>) async {
    for await signal in signals {
      if signal == SIGINT, current != nil {
        await stop()
      } else {
        screen.leavePrompt()
        mode.end()
        Foundation.exit(signal == SIGINT ? 130 : 0)
      }
    }
  }

  /// Shows the new part of the answer.
  private func look() {
    guard let shown = current, let rows = try? chat.messages(last: Self.lookedAt),
      let row = rows.last(where: { $0.id == shown.id })
    else { return }
    if let thought = row.reasoning?.behind(shown.reasoning) { screen.add(thought, isThought: true) }
    if let text = row.text.behind(shown.text) { screen.add(text) }
    current = (shown.id, row.text, row.reasoning ?? "")
    guard row.status.state != .streaming else { return }
    current = nil
    screen.endLine()
    if row.actions.contains(.retryReply) { offer(row) } else { showEnd(row) }
    screen.prompt()
    ended.raise()
  }

  private func offer(_ row: MessageRow) {
    unfinished = row
    let canContinue = row.actions.contains(.continueReply) && assistant.continuesAnswers(in: chat.id)
    let choices =
      (canContinue ? ["[c]ontinue"] : []) + ["[r]etry"]
      + (row.actions.contains(.keepEarlierReply) ? ["[k]eep the earlier answer"] : [])
    let end = row.unfinishedEnd ?? "Failed."
    // The failure is kept as a sentence, which begins like this when the name is wrong.
    let others = end.hasPrefix("The server knows no model") ? names.served.listed : nil
    let hint = others.map { " It has \($0). /model NAME chooses one." } ?? ""
    screen.say("\(end)\(hint) \(choices.joined(separator: ", "))?")
  }

  private func showEnd(_ row: MessageRow) {
    let note = row.metadata.flatMap(AnswerNote.init)
    if let count = note?.leftOut {
      screen.say(
        "The conversation is longer than the model takes. The \(count) oldest of its messages were left out.")
    }
    switch note?.end?.reason {
    case .length: screen.say("The answer reached its limit.")
    case .filter: screen.say("The service withheld the rest.")
    case .tools: screen.say("The model wants to call a tool, which this chat does not do.")
    default: break
    }
  }
}

/// The models of a server, and the one that answers.
private struct ModelNames {
  let usual: String
  let served: ServedModels

  @MainActor func present(in chat: ConversationHandle) -> String {
    let settings = (try? chat.metadata()).flatMap { $0 }.flatMap {
      try? JSONDecoder().decode([String: Assistant.Settings].self, from: $0)
    }
    return settings?["assistant"]?.model ?? usual
  }

  @MainActor func list(in chat: ConversationHandle) -> String {
    let others = (served.names ?? []).filter { $0 != present(in: chat) }
    return "\(present(in: chat)) answers."
      + (others.isEmpty ? "" : " The server also has \(others.joined(separator: ", ")).")
  }
}

extension UserID {
  /// The name under which a terminal shows a member.
  var shownName: String { assistantName ?? rawValue }
}

extension String {
  /// The rest of a text after a beginning, compared by scalars: an emoji may get its skin tone later. Nil when the
  /// text does not begin with it.
  fileprivate func behind(_ beginning: String) -> String? {
    guard unicodeScalars.starts(with: beginning.unicodeScalars) else { return nil }
    return String(unicodeScalars.dropFirst(beginning.unicodeScalars.count))
  }
}

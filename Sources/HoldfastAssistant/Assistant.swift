import Foundation
import Holdfast
import HoldfastStore

/// A member of conversations that answers with a language model, in conversations of any transport.
///
/// ```swift
/// let model = CompletionModel(URL(string: "http://127.0.0.1:8080/v1")!, model: "qwen3")
/// let assistant = Assistant(client, "qwen", model: model)
/// try client.createConversation("ask", members: [client.user, assistant.member])
/// try await assistant.ask("What is the tide?", in: "ask")    // on disk, with the beginning of its answer
/// await assistant.run()                                      // writes answers; until cancelled
/// ```
///
/// The timeline shows the answer as it comes. A question and the beginning of its answer are stored together, before
/// the request is sent: after a crash the row shows the outcome, and its user retries, continues or deletes it. **No
/// answer is requested a second time automatically**, because it costs as much as the first.
///
/// | the model | the row |
/// |---|---|
/// | ends its answer | delivered, with an ``AnswerNote`` in its metadata |
/// | is stopped, or its answer breaks off after a word | interrupted, with the text so far |
/// | cannot be asked, fails, or ends without a word | failed, with the reason and the text so far |
///
/// Nothing runs outside ``run()``: cancel it, and the answers that are being written are interrupted.
public actor Assistant {
  /// An answer that is to be written.
  private struct Job: Sendable {
    var reply: ReplyHandle
    var conversation: ConversationID
    /// The message that is answered. Nil when it is not known.
    var question: MessageID?
  }

  /// The member in whose name the answers are written: ``UserID/assistant(_:of:)``.
  public nonisolated let member: UserID
  private let client: ChatClient
  private let model: @Sendable (String?) throws -> any AnsweringModel
  private let configuration: Configuration
  private let signal = Signal()
  private var jobs: [Job] = []
  private var runners = TurnQueue()

  /// Answers are written on the client's executor, so that a simulated world controls them.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  /// An assistant with one model. Does nothing before ``run()``.
  ///
  /// - Parameters:
  ///   - client: the client in whose conversations it answers.
  ///   - configuration: its settings.
  ///   - name: the assistant's name: 1 to 64 bytes without a slash and without control characters.
  ///   - model: the model that answers.
  public init(
    _ client: ChatClient, _ name: String, model: any AnsweringModel,
    configuration: Configuration = Configuration()
  ) {
    self.init(client, name, configuration: configuration) { _ in model }
  }

  /// An assistant whose model differs from conversation to conversation.
  ///
  /// - Parameter client: the client in whose conversations it answers.
  /// - Parameter name: the assistant's name: 1 to 64 bytes without a slash and without control characters.
  /// - Parameter configuration: its settings.
  /// - Parameter model: the model with the name in a conversation's ``Settings/model``, or the usual one for nil. An
  ///   error fails the answer, with its sentence where it is a `LocalizedError`.
  public init(
    _ client: ChatClient, _ name: String, configuration: Configuration = Configuration(),
    model: @escaping @Sendable (_ name: String?) throws -> any AnsweringModel
  ) {
    (self.client, self.model, self.configuration) = (client, model, configuration)
    member = .assistant(name, of: client.user)
  }

  /// Writes the requested answers, several at once, until the task is cancelled. Each window may call it; the first
  /// call does the work.
  public func run() async {
    let turn = runners.join()
    defer { runners.leave(turn) }
    while !Task.isCancelled, !runners.isTurn(of: turn) { await turn.wait() }
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        for job in jobs { group.addTask { await self.write(job) } }
        jobs = []
        await signal.wait()
      }
    }
  }

  /// Asks a question of this user. One transaction stores it with the beginning of its answer.
  ///
  /// - Returns: the answer's ID, in the timeline from now on.
  /// - Throws: as `ConversationHandle.ask(_:of:)`. Nothing is changed then.
  @discardableResult
  public func ask(_ question: String, in conversation: ConversationID) async throws(ChatError) -> MessageID {
    try await ask(MessageContent(question), in: conversation)
  }

  /// Asks a question with the other fields of its content: see ``ask(_:in:)-(String,_)``. Models are given text
  /// alone: pictures and videos are refused with `attachmentsUnsupported`.
  @discardableResult
  public func ask(
    _ question: MessageContent, in conversation: ConversationID
  ) async throws(ChatError) -> MessageID {
    guard question.images.isEmpty, question.videos.isEmpty else { throw .readsTextAlone }
    return queue(try await client.conversation(conversation).ask(question, of: member), in: conversation)
  }

  /// Asks with the content of the conversation's composer: see ``ask(_:in:)-(String,_)``. Content that cannot be
  /// asked stays there, such as a text with files, which no model is given.
  @discardableResult
  public func askDraft(in conversation: ConversationID) async throws(ChatError) -> MessageID {
    guard client.drafts.attachments(in: conversation).isEmpty else { throw .readsTextAlone }
    return queue(try await client.conversation(conversation).askDraft(of: member), in: conversation)
  }

  /// Answers a message that is in the conversation already, such as another member's question. The mark of the
  /// request has the message's ID, so that every member's device recognizes the answer.
  ///
  /// - Returns: the answer's ID.
  /// - Throws: as `ConversationHandle.beginReply(role:as:answering:)`.
  @discardableResult
  public func answer(_ question: MessageID, in conversation: ConversationID) async throws(ChatError)
    -> MessageID
  {
    let reply = try await client.conversation(conversation).beginReply(
      as: member, answering: RequestID(rawValue: question.rawValue))
    return queue(reply, in: conversation, to: question)
  }

  /// Retries an answer that failed or was interrupted, from its beginning. It keeps its ID, and is at the end of the
  /// timeline while it is written. See `MessageHandle.retryReply()`. A complete answer is regenerated.
  ///
  /// - Throws: as `MessageHandle.retryReply()`.
  public func retry(_ answer: MessageID) async throws(ChatError) {
    let message = client.message(answer)
    try await write(answer, message.retryReply, orElse: message.regenerateReply)
  }

  /// Writes another answer in place of a complete one. The earlier content stays until the new one is complete, and
  /// is kept as a version: see `MessageHandle.regenerateReply()` and `MessageHandle.versions()`. An answer that
  /// failed or was interrupted is retried.
  ///
  /// ```swift
  /// if row.actions.contains(.regenerateReply) { try await assistant.regenerate(row.id) }
  /// ```
  ///
  /// - Throws: as `MessageHandle.regenerateReply()`.
  public func regenerate(_ answer: MessageID) async throws(ChatError) {
    let message = client.message(answer)
    try await write(answer, message.regenerateReply, orElse: message.retryReply)
  }

  /// Writes an answer as its state allows: an app that asks for another one need not know whether it is complete.
  private func write(
    _ answer: MessageID, _ begin: () async throws(ChatError) -> ReplyHandle,
    orElse other: () async throws(ChatError) -> ReplyHandle
  ) async throws(ChatError) {
    let (conversation, question) = try place(of: answer)
    let reply: ReplyHandle
    do throws(ChatError) {
      reply = try await begin()
    } catch {
      guard let instead = try? await other() else { throw error }
      reply = instead
    }
    queue(reply, in: conversation, to: question)
  }

  /// Writes a reply that was begun for this assistant: `ComposerModel.ask(_:)` begins one with the composer's text.
  ///
  /// ```swift
  /// if let reply = await composer.ask(assistant.member) { await assistant.write(reply, in: chat.id) }
  /// ```
  public func write(_ reply: ReplyHandle, in conversation: ConversationID) { queue(reply, in: conversation) }

  /// Lets the model continue an answer that was interrupted, after the stored text. An answer without text, but perhaps
  /// with reasoning, is written again.
  ///
  /// - Throws: as `MessageHandle.continueReply()`; also code `unsupported` when the model does not continue answers
  ///   (``AnsweringModel/continuesAnswers``): the answer can be retried.
  public func continueAnswer(_ answer: MessageID) async throws(ChatError) {
    let (conversation, question) = try place(of: answer)
    guard continuesAnswers(in: conversation) else {
      throw ChatError(.unsupported, "This model does not go on with an answer. Try again from its beginning.")
    }
    let hasWords = try !client.store.read { try $0.streams.prefix(of: answer) }.text.isEmpty
    let message = client.message(answer)
    let reply = hasWords ? try await message.continueReply() : try await message.retryReply()
    queue(reply, in: conversation, to: question)
  }

  /// Whether the model of the conversation continues an answer that was interrupted. A view offers Continue only then.
  public nonisolated func continuesAnswers(in conversation: ConversationID) -> Bool {
    (try? model(settings(of: conversation).model))?.continuesAnswers ?? false
  }

  /// The costs of all answers in a conversation. Answers that failed, were regenerated or are deleted count too. A
  /// request is counted before it is sent. Its tokens are counted when it has ended. Costs one small read.
  ///
  /// ```swift
  /// let costs = try assistant.costs(in: chat.id)
  /// print("\(costs.requests) requests, \(costs.usage.output) tokens written")
  /// ```
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func costs(in conversation: ConversationID) throws(ChatError) -> AnswerCosts {
    AnswerCosts(
      try client.store.read {
        try $0.conversations.cost(of: member, in: $0.key(of: conversation))
      })
  }

  /// Stops an answer that is being written. The text so far is kept, and the model's stream is cancelled at once.
  ///
  /// - Throws: as `MessageHandle.stopReply()`.
  public func stop(_ answer: MessageID) async throws(ChatError) {
    try await client.message(answer).stopReply()
    // An answer whose writing has not begun is forgotten.
    jobs.removeAll { $0.reply.id == answer }
  }

  @discardableResult
  private func queue(
    _ reply: ReplyHandle, in conversation: ConversationID, to question: MessageID? = nil
  ) -> MessageID {
    jobs.append(Job(reply: reply, conversation: conversation, question: question ?? reply.question))
    signal.raise()
    return reply.id
  }

  private nonisolated func settings(of conversation: ConversationID) throws(ChatError) -> Settings {
    configuration.settings(try client.conversation(conversation).metadata())
  }

  /// The conversation of an answer, and the message that it answers.
  private nonisolated func place(
    of answer: MessageID
  ) throws(ChatError) -> (conversation: ConversationID, question: MessageID?) {
    let (known, request) = try client.store.read {
      (try $0.messages.known(answer), try $0.streams.request(answeredBy: answer))
    }
    guard let known else { throw ChatError(.unknownMessage, "There is no such message on this device.") }
    return (client.store.names.name(of: known.conversation), request.map { MessageID(rawValue: $0.rawValue) })
  }

  private nonisolated func write(_ job: Job) async {
    do throws(ChatError) {
      try await job.reply.write { try await self.answer(job, by: $0) }
    } catch {
      // The row shows that it is still being written, and its text is in memory: the disk is full, or the reply was
      // stopped.
      client.logger.error("the end of an answer was not stored", metadata: ["error": "\(error)"])
    }
  }

  /// The size at which an answer is cut off, with its reasoning: a model may repeat itself without an end (rule E4).
  private static let mostBytes = 1 << 20

  private nonisolated func answer(_ job: Job, by reply: ReplyHandle) async throws {
    let settings = try settings(of: job.conversation)
    let model = try model(settings.model)
    let rows = try rows(before: job)
    var note =
      try client.store.read { try $0.streams.metadata(ofStream: reply.id) }.flatMap { AnswerNote($0) }
      ?? AnswerNote(model: model.name)
    var taken = promptBytes(of: model.name, note, rows)
    let whole = prompt(for: job, settings, rows, bytes: configuration.promptBytes)
    while true {
      let prompt = taken.map { self.prompt(for: job, settings, rows, bytes: $0) } ?? whole
      note.begin(model.name, promptBytes: taken, leftOut: whole.turns.count - prompt.turns.count)
      do {
        return try await write(reply, &note, with: model, prompt)
      } catch let error as ModelError where error.code == .promptTooLong {
        let fewer = Int(Double(prompt.byteCount) * (error.takenPart.map { $0 * 0.75 } ?? 0.5))
        note.promptBytes = fewer
        // Only once: the second refusal is reported, and the next question keeps to the learned size.
        let mayHelp = taken == nil && prompt.turns.count > 1
        taken = fewer
        guard !mayHelp else { continue }
        try await reply.note(note.metadata, adding: AnswerCosts().stored)
        throw error
      }
    }
  }

  /// The most bytes of a prompt that the model took the last time, where it refused more. Nil when it did not.
  private nonisolated func promptBytes(
    of model: String, _ note: AnswerNote, _ rows: ArraySlice<MessageRow>
  ) -> Int? {
    let earlier = rows.lazy.filter { $0.sender == self.member }.compactMap(\.metadata).compactMap(
      AnswerNote.init)
    let known = note.promptBytes == nil ? earlier.last { $0.model == model } : note
    return known.flatMap { $0.model == model ? $0.promptBytes : nil }
  }

  /// Writes the answer of one request.
  private nonisolated func write(
    _ reply: ReplyHandle, _ note: inout AnswerNote, with model: any AnsweringModel, _ prompt: ModelPrompt
  ) async throws {
    // On disk before the request is sent, so that a kill does not hide it.
    try await reply.note(note.metadata, adding: AnswerCosts(requests: 1).stored)
    var (end, hasBegun): (ModelEnd?, Bool) = (nil, !reply.textSoFar.isEmpty)
    var (bytes, hasText) = (reply.textSoFar.utf8.count, !reply.textSoFar.isBlank)
    var (hasThought, hasNew) = (false, false)
    do {
      for try await part in model.answer(prompt) {
        switch part {
        case .text(let text):
          bytes += text.utf8.count
          try await reply.append(text)
          (hasBegun, hasNew, hasText) = (true, true, hasText || !text.isBlank)
        case .reasoning(let text):
          bytes += text.utf8.count
          (hasThought, hasNew) = (true, true)
          hasBegun = try await append(reasoning: text, to: reply) || hasBegun
        case .end(let last): end = last
        }
        if bytes > Self.mostBytes { break }
      }
    } catch let error as ModelError {
      if error.requests != 1 {
        note.fail(after: error.requests)
        let cost = AnswerCosts(requests: error.requests - 1)
        try await reply.note(note.metadata, adding: cost.stored)
      }
      // After a first word, another answer would be appended to this one.
      if hasNew, error.code == .promptTooLong {
        throw ModelError(.serverFailed, error.message, detail: error.detail)
      }
      guard error.isCutOff, hasBegun else { throw error }
      client.logger.info("an answer was cut off", metadata: ["error": "\(error)"])
      return try await reply.interrupt()
    }
    try Task.checkCancellation()
    guard let end else {
      guard hasBegun else { throw ModelError(.cutOff, "The answer was cut off before its first word.") }
      return try await reply.interrupt()
    }
    note.finish(end)
    let cost = AnswerCosts(requests: end.requests - 1, usage: end.usage ?? ModelUsage())
    guard hasText else {
      let error = ModelError(empty: end, hasThought: hasThought)
      try await reply.note(note.metadata, adding: cost.stored)
      throw error
    }
    try await finish(reply, note, cost.stored)
  }

  private nonisolated func prompt(
    for job: Job, _ settings: Settings, _ rows: ArraySlice<MessageRow>, bytes: Int
  ) -> ModelPrompt {
    ModelPrompt(
      rows, by: member, system: settings.system ?? configuration.system,
      beginning: job.reply.textSoFar.isEmpty ? nil : job.reply.textSoFar,
      bytes: min(bytes, configuration.promptBytes), turns: configuration.promptTurns)
  }

  /// The newest messages up to the question, which may be further back than a prompt reaches: an answer that is
  /// retried is at the end while it is being written.
  private nonisolated func rows(before job: Job) throws(ChatError) -> ArraySlice<MessageRow> {
    var count = configuration.promptTurns + 1
    while true {
      let rows = try client.conversation(job.conversation).messages(last: count)
      let isAll = rows.count < count
      let question = job.question.flatMap { id in rows.lastIndex { $0.id == id } }.map { $0 + 1 }
      let end = question ?? (isAll || job.question == nil ? rows.firstIndex { $0.id == job.reply.id } : nil)
      if let end, isAll || end >= configuration.promptTurns { return rows[..<end] }
      guard !isAll else { throw ChatError(.unknownMessage, "The question is no longer in the conversation.") }
      count *= 2
    }
  }

  /// Returns whether the reasoning was kept. A server that keeps no reasoning gets the answer without it.
  private nonisolated func append(reasoning: String, to reply: ReplyHandle) async throws -> Bool {
    do {
      try await reply.append("", reasoning: reasoning)
      return true
    } catch let error as ChatError where error.code == .reasoningUnsupported {
      return false
    }
  }

  /// A server that keeps no metadata gets the answer without it.
  private nonisolated func finish(_ reply: ReplyHandle, _ note: AnswerNote, _ cost: AnswerCost) async throws {
    do throws(ChatError) {
      try await reply.finish(metadata: note.metadata, adding: cost)
    } catch {
      guard error.code == .metadataUnsupported else { throw error }
      try await reply.finish(metadata: nil, adding: cost)
    }
  }
}

import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Handles each kind of frame. Every function here runs without suspending.
extension ChatServer {
  /// Returns a search, because it is the only frame that is answered later.
  func handle(_ data: Data, on connection: ConnectionID) -> (Wire.Search, Session)? {
    counts.received.count(data.count)
    guard data.count <= limits.maximumFrameBytes else {
      fail(connection, .tooLarge, "A frame may have \(limits.maximumFrameBytes) bytes at most.")
      return nil
    }
    guard let frame = try? JSONDecoder().decode(Wire.ClientFrame.self, from: data) else {
      fail(connection, .malformed, "The server cannot read this frame.")
      return nil
    }
    guard let session = sessions[connection] else { return nil }
    switch (frame.under(presentIDs), session.phase) {
    case (.hello(let hello), .connected): greet(session, hello)
    case (.hello, _): fail(connection, .malformed, "This connection has sent hello already.")
    case (_, .connected): fail(connection, .malformed, "The first frame must be hello.")
    case (.sync(let sync), _): sendNext(to: session, after: sync.after, recent: sync.recent)
    case (.send(let send), _): accept(send.messages, bytes: data.count, from: session)
    case (.piece(let piece), _): pass(piece, bytes: data.count, from: session)
    case (.read(let read), _): accept(read, from: session)
    case (.ask(let ask), _): answer(ask, to: session)
    case (.history(let question), _): answer(question, to: session)
    case (.search(let question), _): return (question, session)
    case (.upload(let upload), _): accept(upload, from: session)
    case (.fetch(let fetch), _): give(fetch, to: session)
    case (.ping, _):
      if let wait = charge(session.account) {
        fail(connection, .overloaded, "The account asks too fast.", retryAfter: wait)
        return nil
      }
      send(.pong(.init(cursor: session.phase == .live ? session.cursor : nil)), to: connection)
    }
    return nil
  }

  private func greet(_ session: Session, _ hello: Wire.Hello) {
    guard hello.version == Wire.version else {
      return fail(session.id, .incompatible, "The server speaks version \(Wire.version).")
    }
    guard takeOver(session, device: hello.device) else { return }
    sessions.update(session.id) { $0.phase = .catchingUp }
    send(
      .welcome(
        .init(
          account: session.account.rawValue, maximumMessageBytes: limits.maximumMessageBytes,
          frames: Wire.laterFrames)),
      to: session.id)
    sendNext(to: session, after: hello.after, recent: hello.recent)
  }

  /// Sends the page after the client's place: a page of the newest messages for a new device that asks for those
  /// only, and otherwise a page of the log.
  private func sendNext(to session: Session, after: Int64?, recent: Wire.Recent?) {
    guard after == nil, let recent else { return sendPage(to: session, after: after) }
    sendRecent(to: session, recent)
  }

  /// Keeps only the newest connection of a device. The older connection is closed, and its later frames are ignored.
  /// After its welcome, a client knows that nothing from an earlier connection can still arrive. Returns whether
  /// this connection is accepted.
  private func takeOver(_ session: Session, device: String?) -> Bool {
    guard let device else { return true }
    guard MessageID.isWellFormed(device) else {
      fail(session.id, .malformed, "A device's ID is 1 to 255 bytes without control characters.")
      return false
    }
    let others = sessions.connections(of: session.account).filter {
      $0 != session.id && sessions[$0]?.device == device
    }
    guard others.allSatisfy({ $0 < session.id }) else {
      fail(session.id, .overloaded, "The device has a newer connection.")
      return false
    }
    for other in others { fail(other, .overloaded, "The device has a newer connection.") }
    sessions.update(session.id) { $0.device = device }
    return true
  }

  /// Responds to a request for the page after `after`.
  private func sendPage(to session: Session, after: Int64?) {
    guard (after ?? 0) >= 0 else {
      return fail(session.id, .malformed, "A cursor must not be negative.")
    }
    if let wait = charge(session.account) {
      return fail(session.id, .overloaded, "The account asks too fast.", retryAfter: wait)
    }
    sendLog(to: session, after: after)
  }

  /// Sends the page of the log after `after`. The last page is followed by all messages that are being streamed now,
  /// unless the connection already receives them.
  func sendLog(to session: Session, after: Int64?) {
    let page: EventPage
    let start: Int64?
    do {
      (start, page) = try database.read { db in
        let log = EventLog(db: db)
        // A cursor that was never issued comes from another log, so its client starts at the beginning.
        let start = try after.flatMap { try $0 <= log.head() ? $0 : nil }
        return (start, try log.page(for: session.account, after: start ?? 0, limits: limits))
      }
    } catch {
      return storageFailed(error, on: session.id)
    }
    let joins = session.phase != .live && !page.more
    sessions.update(session.id) {
      $0.cursor = page.cursor
      $0.phase = page.more ? .catchingUp : .live
    }
    send(
      .events(.init(after: start, cursor: page.cursor, items: page.items, more: page.more)), to: session.id)
    guard joins else { return }
    for piece in streams.pieces(for: session.account).joined() { send(.piece(piece), to: session.id) }
  }

  /// A frame is one transaction: the receipts of all its messages are sent after one commit.
  private func accept(_ messages: [Wire.Outgoing], bytes: Int, from session: Session) {
    guard messages.count <= limits.maximumMessagesPerFrame else {
      return fail(
        session.id, .tooLarge, "A frame may have \(limits.maximumMessagesPerFrame) messages at most.")
    }
    guard !messages.isEmpty else { return }
    let byteWait = byteBuckets.charge(session.account, bytes, now: environment.uptime())
    let waits = messages.map { _ in charge(session.account) ?? byteWait }
    let refused = messages.compactMap { session.refusal(of: $0) }
    let fresh = zip(messages, waits).filter { session.refusal(of: $0.0) == nil }
    guard let outcome = decide(on: fresh, from: session) else { return }
    if messages.contains(where: { $0.operation?.takesWordsAway == true }) { remnants = .all }
    for checksum in outcome.unneeded { attachments.remove(checksum) }
    if !outcome.receipts.isEmpty { send(.receipts(.init(items: outcome.receipts)), to: session.id) }
    sessions.update(session.id) { session in
      for refusal in outcome.refusals { session.keep(refusal) }
    }
    for refusal in refused + outcome.refusals { send(.refused(refusal), to: session.id) }
    for receipt in outcome.receipts {
      streams.remove(
        .init(
          sender: session.account, conversation: ConversationID(rawValue: receipt.conversation),
          message: MessageID(rawValue: receipt.id)))
    }
    push(outcome.entries)
  }

  /// Decides about the messages. When the write fails, messages that are already stored still get their receipts,
  /// and the others are asked to retry. A stored message must not be refused: a refusal means that the server does
  /// not have the message, and its sender may then change it in place. Returns nil when no response can be sent: the
  /// server is stopped, or the connection has ended.
  private func decide(
    on messages: [(message: Wire.Outgoing, wait: Duration?)], from session: Session
  ) -> Acceptance.Outcome? {
    guard !messages.isEmpty else { return .init() }
    let at = environment.now().wireMilliseconds
    func acceptance(_ db: Database) -> Acceptance {
      Acceptance(sender: session.account, limits: limits, at: at, db: db) { [streams] in
        streams.isTaken($0, for: session.account)
      }
    }
    do {
      return try database.write { db in
        var acceptance = acceptance(db)
        for (message, wait) in messages { try acceptance.accept(message, retryAfter: wait) }
        return acceptance.outcome
      }
    } catch {
      logStorage(error)
    }
    guard !isStopped else { return nil }
    do {
      return try database.read { db in
        var acceptance = acceptance(db)
        for (message, _) in messages where try !acceptance.acceptAgain(message) {
          acceptance.putOff(message, for: limits.storageRetryAfter)
        }
        return acceptance.outcome
      }
    } catch {
      storageFailed(error, on: session.id)
      return nil
    }
  }

  /// Forwards a piece to all other live connections that may see it, and keeps it for connections that join later.
  private func pass(_ piece: Wire.Piece, bytes: Int, from session: Session) {
    guard charge(session.account) == nil,
      byteBuckets.charge(session.account, bytes, now: environment.uptime()) == nil,
      MessageID.isWellFormed(piece.id),
      MessageID.isWellFormed(piece.conversation), MessageRole(rawValue: piece.role) != nil,
      piece.assistant.map(UserID.isAssistantName) != false,
      piece.request.map(MessageID.isWellFormed) != false
    else { return }
    let key = StreamBuffer.Key(
      sender: session.account, conversation: ConversationID(rawValue: piece.conversation),
      message: MessageID(rawValue: piece.id))
    if !streams.contains(key) {
      guard piece.sequence == 0 else { return }
      do {
        let audience: [UserID]? = try database.read { db in
          guard try Messages(db: db).place(of: piece.id) == nil else { return nil }
          let conversations = Conversations(db: db)
          guard try conversations.isMember(session.account, of: piece.conversation) else { return nil }
          return try conversations.members(of: piece.conversation)
        }
        guard let audience else { return }
        streams.start(
          key, audience: audience, answering: piece.request.map(RequestID.init(rawValue:)),
          at: environment.uptime())
      } catch {
        // The final message replaces the lost pieces.
        return logStorage(error)
      }
    }
    streams.note(writer: session.id, of: key)
    var piece = piece
    piece.sender = session.account.rawValue
    guard let (piece, audience) = streams.append(piece, to: key) else { return }
    for member in sessions.live(among: audience) where member.id != session.id {
      send(.piece(piece), to: member.id)
    }
  }
}

extension Wire.Operation {
  /// Whether the operation may remove words of the target from the index.
  fileprivate var takesWordsAway: Bool {
    [MessageOperation.Kind.edit, .delete].map(\.rawValue).contains(kind)
  }
}

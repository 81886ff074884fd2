import Simulator
import Testing

/// Worlds that once broke a promise, each with its lesson. They are kept forever. Each lesson also has a mutant or a
/// unit test, because a seed is the order of events of one version of the code.
@Suite struct PastFailures {
  struct Failure: CustomTestStringConvertible, Sendable {
    var seed: UInt64
    var plan: WorldPlan
    var lesson: String
    var testDescription: String { "seed \(seed): \(lesson)" }
  }

  private static let renamedAndRefused = WorldPlan(
    phones: 2, conversations: 1, messages: 6, renames: 3, faults: FaultMix(option: "refused-conversation=3")!)

  static let all = [
    Failure(
      seed: 34,
      plan: WorldPlan(phones: 2, conversations: 1, messages: 2, faults: FaultMix(option: "loss=0.3")!),
      lesson: "The last page before a rest was lost and not noticed. A pong now carries its end."),
    Failure(
      seed: 182,
      plan: drawn(182) {
        ($0.phones, $0.messages, $0.replies) = (2, 3, 3)
        ($0.reads, $0.emptyings) = (12, 0)
        $0.faults = FaultMix(option: "broken-connection=0.1,lost-network=2,phone-disk=3")!
      },
      lesson: """
        A text that was typed while the disk was full stayed in memory, and another process gave the conversation \
        another ID. The text was joined at once with what that process had stored, and showed it after it was sent. \
        The next save joins them now.
        """),
    Failure(
      seed: 2,
      plan: WorldPlan(
        phones: 2, conversations: 1, messages: 3, replies: 3,
        faults: FaultMix(option: "phone-disk=3,lost-network=2,broken-connection=0.1")!),
      lesson: """
        A reply ended with its connection while the disk was full, and no screen was notified. A change that observers \
        read beside the store is now announced even when the store cannot be written.
        """),
    Failure(
      seed: 29,
      plan: WorldPlan(
        phones: 4, conversations: 1, messages: 14, replies: 1,
        faults: FaultMix(option: "hostile-frame=0.2,rejection=5,phone-kill=40")!),
      lesson: """
        A forged receipt for a failed message, which only its phone had, made it delivered there. A receipt is now \
        accepted only for a message that has left and was not refused since.
        """),
    Failure(
      seed: 222,
      plan: WorldPlan(
        phones: 4, conversations: 3, messages: 10, replies: 0, heldAfter: 4,
        faults: FaultMix(option: "loss=0.09796421457691522,server-error=17,server-kill=11")!),
      lesson: """
        A held message that its user sent had only the attempts that were left before it was held, and failed at \
        the first fault. It now gets all attempts, as a retried message does.
        """),
    Failure(
      seed: 7,
      plan: WorldPlan(
        phones: 3, conversations: 2, messages: 10, replies: 0, heldAfter: 15, changes: 10, extensions: 2,
        renames: 1, faults: FaultMix(option: "loss=0.05,rejection=4,hostile-frame=0.2")!),
      lesson: """
        Another process had just renamed a conversation, and its timeline was read under the earlier ID, and was \
        empty for a moment. The ID is now looked up in the snapshot that is shown.
        """),
    Failure(
      seed: 4,
      plan: renamedAndRefused,
      lesson: """
        A call with an earlier ID of a refused conversation was refused as if there were none. A call with any earlier \
        ID is now about that conversation.
        """),
    Failure(
      seed: 8,
      plan: renamedAndRefused,
      lesson: """
        A conversation was joined with another one, its refusal was forgotten, and its messages left. The refusal \
        of either conversation now stays.
        """),
    Failure(
      seed: 37,
      plan: WorldPlan(
        phones: 2, conversations: 1, messages: 3, changes: 0, renames: 0,
        faults: FaultMix(option: "phone-kill=5")!),
      lesson: """
        A text that was typed over came back as a version, although another process had sent it and begun the next \
        draft. A sent draft now differs from the next one by its ID.
        """),
    Failure(
      seed: 26,
      plan: WorldPlan(changes: 10, faults: FaultMix(option: "server-disk=4,lost-receipt=0.2")!),
      lesson: """
        A server with a full disk refused a whole frame, with messages that it had accepted before. Their sender \
        believed it and took them back. The server now confirms a message that it has, also with a full disk.
        """),
    Failure(
      seed: 1093,
      plan: drawn(1093) { _ in },
      lesson: """
        The user picked a file that a message had and that was not downloaded yet, and the message went on \
        waiting. The timelines of all messages with the file are now notified that it is here.
        """),
    Failure(
      seed: 1585,
      plan: drawn(1585) { _ in },
      lesson: """
        A message was deleted on another device before its sender's process knew that it was sent, and the judge \
        took the rest for an invented message. Users now leave unresolved messages alone.
        """),
    Failure(
      seed: 78,
      plan: drawn(78) {
        ($0.phones, $0.conversations, $0.messages, $0.replies, $0.attachments) = (2, 1, 1, 0, 0)
        ($0.extensions, $0.renames, $0.deletions, $0.hasWindows) = (1, 0, 12, false)
        $0.faults = FaultMix(option: "crash-after-commit=0.08")!
      },
      lesson: """
        A process ended between the last transaction that removed a deleted text from the index and the emptying \
        of the journal, and the journal was not emptied after that. Every launch now empties it.
        """),
    Failure(
      seed: 160,
      plan: drawn(160) {
        ($0.messages, $0.attachments) = (6, 10)
        $0.faults = FaultMix(option: "phone-disk=4")!
      },
      lesson: """
        Undo on a full disk brought the text back and lost its files. They are now offered again until there is \
        room.
        """),
    Failure(
      seed: 1097,
      plan: drawn(1097) {
        ($0.phones, $0.messages, $0.attachments, $0.extensions) = (2, 4, 2, 2)
        $0.faults = FaultMix(
          option: "lost-network=18,crash-before-commit=0.043,crash-after-commit=0.049")!
      },
      lesson: """
        A reply was taken over while its writer was alive. The judge did not know that the writer shows its own \
        text until it notices.
        """),
    Failure(
      seed: 1,
      plan: WorldPlan(
        phones: 2, conversations: 1, messages: 15, quotas: 2,
        faults: FaultMix(option: "lost-network=2,phone-kill=8")!),
      lesson: """
        Waiting messages counted among the last hundred of a conversation, so that fewer of the server's messages \
        were kept. Only messages that the server has count now.
        """),
    Failure(
      seed: 1,
      plan: messagesAlone(1) {
        ($0.phones, $0.conversations, $0.messages, $0.replies) = (2, 2, 3, 0)
        ($0.queueImports, $0.heldAfter) = (3, 8)
        $0.faults = FaultMix()
      },
      lesson: """
        Messages that had waited in another app for a day left at once when they were imported while the link was \
        up. Old messages were held only at the beginning of a connection.
        """),
    Failure(
      seed: 34,
      plan: drawn(34) {
        ($0.conversations, $0.messages, $0.extensions, $0.renames) = (1, 30, 2, 0)
        $0.faults = FaultMix(option: "phone-kill=5")!
      },
      lesson: """
        A word of a deleted conversation was in the unallocated space of a page. SQLite had moved its row and left \
        a copy, which was still there when the row was deleted. The store is now compacted.
        """),
    Failure(
      seed: 59,
      plan: drawn(59) { $0.extensions = 2 },
      lesson: """
        A reply was refused for a while and then taken back, and came back from the pieces that the server still \
        had. A message that is taken back before the server has it does not begin again.
        """),
    Failure(
      seed: 58,
      plan: drawn(58) { ($0.renames, $0.extensions) = (3, 2) },
      lesson: """
        A process ended while it finished a reply, another process finished it, and the judge counted it twice \
        among the first one's messages.
        """),
    Failure(
      seed: 1003,
      plan: drawn(1003) { plan in
        plan.renames = 3
        plan.faults = FaultMix(option: "refused-conversation=4")!
      },
      lesson: """
        Another process renamed a conversation, and a moment later a reply in it could not be finished, because it \
        was queued under an ID that no longer existed.
        """),
    Failure(
      seed: 22,
      plan: messagesAlone(22) {
        ($0.phones, $0.conversations, $0.messages, $0.replies) = (2, 1, 4, 6)
        $0.faults = FaultMix(option: "server-error=2,phone-kill=6,broken-connection=0.1")!
      },
      lesson: """
        Two replies that were continued in one launch had the same text, and the judge took one for the other.
        """),
    Failure(
      seed: 700283,
      plan: drawn(700283) {
        ($0.phones, $0.messages, $0.heldAfter, $0.attachments, $0.extensions) = (2, 12, 0, 0, 1)
        ($0.renames, $0.deletions, $0.strictOrder) = (0, 0, false)
        $0.idempotency = .window(.seconds(60), scope: .connection)
        $0.faults = FaultMix(
          option: "delay=1356,reorder=1,slow-server=23,crash-before-commit=0.019413893232680213,"
            + "crash-after-commit=0.03714633080960929")!
      },
      lesson: """
        A message in doubt was retried behind another one, and the server had it. The third message named it as \
        its predecessor and overtook the second. A message that may be on the server out of order now leaves when \
        nothing is in flight.
        """),
    Failure(
      seed: 720018,
      plan: messagesAlone(720018) {
        ($0.phones, $0.conversations, $0.messages, $0.replies) = (2, 1, 12, 3)
        ($0.idempotency, $0.strictOrder) = (.none, false)
        $0.faults = FaultMix(option: "reorder=1,delay=300")!
      },
      lesson: """
        The judge blamed a sender for a second copy. The network had let the second hand-over overtake the first \
        on one connection, which no sender can know.
        """),
    Failure(
      seed: 740059,
      plan: messagesAlone(740059) {
        ($0.phones, $0.conversations, $0.messages, $0.replies, $0.renames) = (2, 1, 12, 0, 4)
        ($0.idempotency, $0.strictOrder) = (.none, false)
        $0.faults = FaultMix(option: "lost-receipt=0.2,broken-connection=0.08,delay=200")!
      },
      lesson: """
        A conversation was renamed while the server was asked about its messages. The answer was stored under the \
        earlier ID, and the lane waited for ever.
        """),
    Failure(
      seed: 750034,
      plan: messagesAlone(750034) {
        ($0.phones, $0.conversations, $0.messages, $0.replies, $0.extensions) = (2, 1, 10, 0, 2)
        ($0.renames, $0.idempotency, $0.strictOrder) = (6, .forever, false)
        $0.faults = FaultMix(option: "phone-disk=6,lost-network=10")!
      },
      lesson: """
        A stored text that was typed over here, on a full disk, became a version after another process had sent \
        it. The stored draft now goes with the sent one.
        """),
    Failure(
      seed: 3_127_309_636,
      plan: drawn(3_127_309_636) { _ in },
      lesson: """
        The judge took a place for known: a process ended while it finished a reply, and the other process sent \
        on. A message with an unknown place may be taken back at the place where the screen shows it.
        """),
    Failure(
      seed: 3_132_514_156,
      plan: drawn(3_132_514_156) { $0.deletions = 0 },
      lesson: """
        A frame was delivered twice. The server refused the first copy and took the second, after the user had \
        taken the message back. A server now refuses every copy of a refused hand-over.
        """),
    Failure(
      seed: 2,
      plan: WorldPlan(
        phones: 2, conversations: 1, messages: 4, assistantReplies: 12,
        faults: FaultMix(option: "phone-kill=2,server-kill=2")!),
      lesson: """
        A phone ended before it had stored a word of a reply, and the writer deleted the reply. The empty row stayed \
        on the phone for ever. A reply of somebody else of which nothing is stored is now removed.
        """),
    Failure(
      seed: 554_565_032, plan: withoutNames(554_565_032),
      lesson: """
        A phone had the beginning of a reply when its network was lost. The reply was finished and deleted meanwhile, \
        and came to the phone as a deleted one. The world took the empty text for a change of the beginning.
        """),
    Failure(
      seed: 3_132_514_156,
      plan: drawn(3_132_514_156) { plan in
        plan.deletions = 0
        plan.faults[.noAnswer] = WorldPlan(seed: 3_132_514_156).faults[.noAnswer]
      },
      lesson: """
        A refusal that was no word took back the messages behind it, which were still on their way. The server was asked \
        about one, did not have it yet, and got it twice. They now wait for their own answers.
        """),
    Failure(
      seed: 2_281_812_065, plan: withoutNames(2_281_812_065),
      lesson: """
        The extension made room while the app was in the background. The app came back, read fewer messages, and did not         say so: what makes room was known from memory, which followed the disk a moment later.
        """),
    Failure(
      seed: 30,
      plan: drawn(30) { plan in
        (plan.conversations, plan.messages, plan.replies, plan.renames) = (1, 1, 0, 0)
        (plan.deletions, plan.emptyings, plan.imports, plan.backend) = (0, 0, 0, .names)
        (plan.reads, plan.onDevice) = (WorldPlan(seed: 30).reads, WorldPlan(seed: 30).onDevice)
        plan.faults = FaultMix(option: "delay=1467,rejection=14,phone-kill=9") ?? plan.faults
      },
      lesson: """
        The receipt of a reaction had the server's name of it, and came behind the deletion of the message. The name was \
        kept with the reaction, which was there again by that.
        """),
    Failure(
      seed: 795_000_008, plan: events(795_000_008),
      lesson: """
        Messages of a server without numbers came under two IDs of one conversation, and each was placed behind those of \
        its own ID. When the two turned out to be one, the order was lost. Places now count over all conversations.
        """),
    Failure(
      seed: 795_000_023, plan: events(795_000_023),
      lesson: """
        The deletion came as an event, before the receipt of a reaction. The receipt wrote the reaction to the deleted \
        message.
        """),
    Failure(
      seed: 795_000_025, plan: events(795_000_025),
      lesson: """
        A read mark came for a message that its receipt had confirmed and no event had placed. It waited, and the event \
        that placed the message did not look for it.
        """),
    Failure(
      seed: 60,
      plan: {
        var plan = WorldPlan(seed: 60)
        (plan.backend, plan.changes) = (.events, 10)
        plan.faults = FaultMix(option: "delay=2000,reorder=0.5,lost-receipt=0.2") ?? plan.faults
        return plan
      }(),
      lesson: """
        Messages that their receipts had confirmed, and no event had placed, stood in the order in which they were begun. \
        A reply was begun before and left after another message, and the two changed places in front of their user.
        """),
    Failure(
      seed: 1_500_000_103, plan: WorldPlan(seed: 1_500_000_103),
      lesson: """
        A message left after the clock's mark was stored, the app crashed, and the date went back meanwhile. A while after \
        the launch, its age seemed to be known again, as if the app had not been away, and a second copy left unasked.
        """),
    Failure(
      seed: 1_600_000_037, plan: WorldPlan(seed: 1_600_000_037),
      lesson: """
        The worlds' own fault: a text was typed over another, and typed back after a pause, while the disk was full. The \
        composer had changed nothing, so what the extension typed meanwhile stayed, and the world missed the text.
        """),
    Failure(
      seed: 3_869_360_424, plan: WorldPlan(seed: 3_869_360_424),
      lesson: """
        The worlds' own fault: an echo came under the server's name alone, and its receipt a second later. Meanwhile a \
        reaction was sent without the name, which nobody could know, and the world called that a broken promise.
        """),
    Failure(
      seed: 3_310_000_044, plan: WorldPlan(seed: 3_310_000_044),
      lesson: """
        A new phone's first connection was cut, and the phone sent a message meanwhile. The next one sent the newest \
        message alone, and the phone said that older ones were gone, although all of them were there.
        """),
  ]

  /// The plan of the seed, with a server that sends events, and with many acts.
  private static func events(_ seed: UInt64) -> WorldPlan {
    var plan = WorldPlan(seed: seed)
    (plan.backend, plan.changes, plan.reads) = (.events, 10, 12)
    return plan
  }

  /// The plan of the seed, as before servers had their own names.
  private static func withoutNames(_ seed: UInt64) -> WorldPlan {
    var plan = WorldPlan(seed: seed)
    plan.backend = .states
    return plan
  }

  /// The plan of the seed, with these changes.
  private static func drawn(_ seed: UInt64, _ change: (inout WorldPlan) -> Void) -> WorldPlan {
    var plan = WorldPlan(seed: seed)
    // The earlier worlds had none of these.
    plan.faults[.noAnswer] = 0
    plan.backend = .states
    (plan.reads, plan.onDevice, plan.assistantReplies, plan.tables) = (0, 0, 0, 0)
    change(&plan)
    return plan
  }

  /// The same for a world in which users only send messages, with these changes.
  private static func messagesAlone(_ seed: UInt64, _ change: (inout WorldPlan) -> Void) -> WorldPlan {
    drawn(seed) { plan in
      (plan.changes, plan.attachments, plan.extensions, plan.renames, plan.deletions) = (0, 0, 0, 0, 0)
      (plan.imports, plan.queueImports, plan.quotas, plan.hasWindows, plan.heldAfter) = (0, 0, 0, false, 0)
      change(&plan)
    }
  }

  @Test(arguments: all) func `a past failure stays mended`(failure: Failure) async throws {
    let result = try await report(of: World(seed: failure.seed, plan: failure.plan))
    #expect(result.violations.isEmpty, "\(result.story)")
  }
}

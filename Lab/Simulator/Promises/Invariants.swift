import Holdfast
import HoldfastStore

/// The promises at the end of a world, each in a function of its own. ``TimelineWatch`` and ``DraftPromise``
/// check the promises that must hold all the time.
enum Invariants {
  static func check(_ outcome: WorldOutcome) -> [Violation] {
    [
      nothingLeftWaiting, nothingLost, nothingTwice, nothingInvented, withdrawnIsGone, orderPerSender,
      sameEverywhere, sameState, reactionsAreKept, streamedTextIsEqual, screensAreFresh, attachmentsArrive,
      filesAreAccountedFor, onlyTheOldestMakeRoom, limitsAreKept, readMarksArrive, repliesAreWholeOrGone,
      deliveriesAreReported,
    ].flatMap { $0(outcome) }
  }

  /// Every message whose send returned is on the server, under its ID, and on every phone.
  static func nothingLost(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      conversation.places.flatMap { place in
        let found = Dictionary(place.rows.map { ($0.id, $0.text) }) { first, _ in first }
        let evicted = conversation.evicted(from: place.name)
        return conversation.sent.filter { found[$0.id] != $0.text && !evicted.contains($0.id) }.map {
          Violation(
            promise: "nothing lost", expected: "\($0.id) '\($0.text)' on \(place.name)",
            found: found[$0.id].map { "'\($0)'" } ?? "nothing")
        }
      }
    }
  }

  /// Each text was sent once by its user, so no place has it twice, under any ID.
  static func nothingTwice(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      conversation.places.flatMap { place in
        let copies = Dictionary(grouping: place.rows.filter { !$0.isDeleted }, by: \.text)
          .filter { $0.value.count > 1 }
        return copies.sorted { $0.key < $1.key }.map {
          Violation(
            promise: "nothing twice", expected: "one '\($0.key)' on \(place.name)", found: "\($0.value.count)"
          )
        }
      }
    }
  }

  /// Every message on the server was sent: in that conversation, by that sender, under the ID that the send
  /// returned.
  static func nothingInvented(_ outcome: WorldOutcome) -> [Violation] {
    let foreign = outcome.foreign.map {
      Violation(promise: "nothing invented", expected: "no conversation \($0) on server", found: "it")
    }
    return foreign
      + outcome.conversations.flatMap { conversation in
        let sent = Set(
          conversation.sent.map { WorldOutcome.Row(id: $0.id, sender: $0.sender, text: $0.text) })
        return conversation.server.filter {
          !sent.contains(WorldOutcome.Row(id: $0.id, sender: $0.sender, text: $0.text))
        }.map {
          Violation(
            promise: "nothing invented", expected: "only what was sent, under its ID",
            found: "\($0.id) '\($0.text)' of \($0.sender) on server")
        }
      }
  }

  /// A message that its user deleted or took back before it was sent is nowhere.
  static func withdrawnIsGone(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      conversation.places.flatMap { place in
        place.rows.filter { outcome.withdrawn.contains($0.id) }.map {
          Violation(
            promise: "what was taken back is gone", expected: "no \($0.id) on \(place.name)",
            found: "'\($0.text)'")
        }
      }
    }
  }

  /// The server has each phone's messages in the order of the sends.
  static func orderPerSender(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      Set(conversation.sent.map(\.device)).sorted().compactMap { device -> Violation? in
        let sent = conversation.sent.filter { $0.device == device && $0.hasPlace }.map(\.id)
        let known = Set(sent)
        let served = conversation.server.map(\.id).filter(known.contains)
        guard served != sent else { return nil }
        let index = zip(sent, served).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = index ?? min(sent.count, served.count)
        return Violation(
          promise: "order per sender",
          expected: "\(device)'s message \(place) in \(conversation.id) to be \(name(sent, place))",
          found: name(served, place))
      }
    }
  }

  private static func name(_ ids: [MessageID], _ index: Int) -> String {
    index < ids.count ? ids[index].rawValue : "none"
  }

  /// Every phone shows the server's messages, in the server's order.
  static func sameEverywhere(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      conversation.phones.compactMap { phone -> Violation? in
        let shown = phone.rows.map(\.id)
        let evicted = conversation.evicted(from: phone.device)
        let served = conversation.server.map(\.id).filter { !evicted.contains($0) }
        guard shown != served else { return nil }
        let isShort = shown == served.filter(Set(shown).contains)
        return Violation(
          promise: "the same on every phone",
          expected: "\(served.count) messages of \(conversation.id) in the server's order on \(phone.device)",
          found: "\(shown.count), \(isShort ? "some missing" : "in another order")")
      }
    }
  }

  /// A phone lacks only the oldest messages, and only when it has limits and shows that (rule H11).
  static func onlyTheOldestMakeRoom(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      conversation.phones.compactMap { phone -> Violation? in
        guard let eviction = conversation.evictions[phone.device] else { return nil }
        let (served, shown) = (conversation.server.map(\.id), phone.rows.map(\.id))
        if eviction.isReported, Set(served).isSubset(of: shown) {
          return Violation(
            promise: "what has made room is reported",
            expected: "\(phone.device) to have all of \(conversation.id)",
            found: "it says that some is gone")
        }
        return eviction.violation(before: served, after: shown)
      }
    }
  }

  /// A phone with history limits keeps no more than they allow.
  static func limitsAreKept(_ outcome: WorldOutcome) -> [Violation] {
    outcome.limits.sorted { $0.key < $1.key }.compactMap { device, promise -> Violation? in
      let kept = outcome.conversations.compactMap { conversation in
        conversation.evictions[device].flatMap { eviction in
          conversation.phones.first { $0.device == device }
            .map { (rows: $0.rows.map(\.id), referred: eviction.referred) }
        }
      }
      guard !promise.isKept(kept) else { return nil }
      return Violation(
        promise: "the oldest make room", expected: "\(device) to keep its limits",
        found: "\(kept.map { "\($0.rows.count)" }.joined(separator: " and ")) messages")
    }
  }

  /// Every phone shows each message in the server's state: its text, its deletion and its reactions.
  static func sameState(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation in
      let served = Dictionary(conversation.server.map { ($0.id, $0) }) { first, _ in first }
      return conversation.phones.flatMap { phone in
        phone.rows.compactMap { row -> Violation? in
          guard let present = served[row.id], present != row else { return nil }
          return Violation(
            promise: "the same state on every phone", expected: "\(present.state) on \(phone.device)",
            found: row.state)
        }
      }
    }
  }

  /// A reaction exists exactly when its user's last wish was to have it.
  static func reactionsAreKept(_ outcome: WorldOutcome) -> [Violation] {
    outcome.reactions.filter { $0.isThere != $0.isWanted }.map {
      Violation(
        promise: "reactions are kept",
        expected: "\($0.user)'s \($0.value) \($0.isWanted ? "on" : "not on") \($0.message)",
        found: $0.isThere ? "it is there" : "it is not there")
    }
  }

  /// Nothing waits once everyone is online and all faults have ended.
  static func nothingLeftWaiting(_ outcome: WorldOutcome) -> [Violation] {
    outcome.waiting.filter { $0.count > 0 }.map {
      Violation(
        promise: "nothing left waiting", expected: "an empty outbox on \($0.device)", found: "\($0.count)")
    }
  }

  /// A finished answer has its written text, everywhere.
  static func streamedTextIsEqual(_ outcome: WorldOutcome) -> [Violation] {
    outcome.replies.flatMap { reply in
      outcome.conversations.filter { $0.id == reply.conversation }.flatMap(\.places).flatMap { place in
        place.rows.filter { $0.id == reply.id && $0.text != reply.text && !$0.isDeleted }.map {
          Violation(
            promise: "streamed text is finally equal", expected: "'\(reply.text)' on \(place.name)",
            found: "'\($0.text)'")
        }
      }
    }
  }

  /// A phone shows no empty reply, and none of its own that was cut off or has failed (rule L4).
  static func repliesAreWholeOrGone(_ outcome: WorldOutcome) -> [Violation] {
    outcome.unfinished.filter { $0.isEmpty || $0.isWrittenHere }.map {
      Violation(
        promise: "a reply is whole or gone", expected: "\($0.device) to show \($0.id) whole, or not at all",
        found: $0.isEmpty ? "an empty row" : "a part of it")
    }
  }

  /// An app that keeps its messages itself was notified of each delivery of a message that its phone has sent, once
  /// (rule L8).
  static func deliveriesAreReported(_ outcome: WorldOutcome) -> [Violation] {
    outcome.tables.flatMap { table in
      let times = Dictionary(grouping: table.delivered, by: \.self).mapValues(\.count)
      let unreported = outcome.conversations.flatMap(\.sent)
        .filter { $0.device == table.device && times[$0.id] != 1 }.map {
          Violation(
            promise: "what is delivered is reported",
            expected: "\($0.id) to be delivered once in the table of \(table.device)",
            found: "\(times[$0.id] ?? 0) deliveries")
        }
      guard unreported.isEmpty, !table.isComplete else { return unreported }
      return [
        Violation(
          promise: "what is delivered is reported", expected: "\(table.device) to have everything reported",
          found: "something that is not in its table")
      ]
    }
  }

  /// Every screen shows the result of a fresh query.
  static func screensAreFresh(_ outcome: WorldOutcome) -> [Violation] {
    outcome.stale.map {
      Violation(
        promise: "every snapshot equals a fresh query",
        expected: "\($0.device)'s screen to show \($0.conversation) as it is stored", found: "an older state")
    }
  }

  /// Every referenced file exists, and no other file is left (rules D16, S9).
  static func filesAreAccountedFor(_ outcome: WorldOutcome) -> [Violation] {
    outcome.folders.filter { $0.audit != AttachmentAudit() }.map { folder in
      Violation(
        promise: "files go with what refers to them",
        expected: "exactly the files that \(folder.process) refers to",
        found: "\(folder.audit.missing.count) missing, \(folder.audit.stray.count) left over")
    }
  }

  /// Every message has the files that were attached to it, every phone has their bytes (rule O13), and no phone
  /// shows other files.
  static func attachmentsArrive(_ outcome: WorldOutcome) -> [Violation] {
    outcome.conversations.flatMap { conversation -> [Violation] in
      let wrong = conversation.sent.filter { sent in
        sent.attachments.map { $0 != conversation.attachments[sent.id] ?? [] } ?? false
      }
      let unsent = wrong.map {
        Violation(
          promise: "what is attached arrives", expected: "\($0.attachments?.count ?? 0) files of \($0.id)",
          found: "\(conversation.attachments[$0.id]?.count ?? 0) on the server")
      }
      let missing = conversation.files.flatMap { phone in
        let ids = Set(conversation.attachments.keys).union(phone.files.keys)
          .subtracting(conversation.evicted(from: phone.device))
        return ids.sorted { $0.rawValue < $1.rawValue }.compactMap { id in
          let found: [ChatAttachment.Checksum?] = phone.files[id] ?? []
          let served = conversation.attachments[id] ?? []
          guard found != served.map(Optional.some) else { return nil as Violation? }
          return Violation(
            promise: "what is attached arrives", expected: "the files of \(id) on \(phone.device)",
            found: "\(found.count { $0 != nil })")
        }
      }
      return unsent + missing
    }
  }
}

extension WorldOutcome.Row {
  fileprivate var state: String {
    "\(id) \(isDeleted ? "deleted" : "'\(text)'")\(reactions.isEmpty ? "" : " with \(reactions.joined(separator: ", "))")"
  }
}

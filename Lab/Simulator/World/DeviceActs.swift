import Foundation
import Holdfast

/// The acts of a user in the local conversation (rules L1, L2).
extension PhoneUser {
  /// Sends, records, changes or deletes a message there.
  func actOnDevice() async {
    let number = phone.memory.withLock { memory in
      memory.deviceActions += 1
      return memory.deviceActions
    }
    guard makeDeviceConversation() else { return }
    let text = "\(DevicePromises.mark): \(name)'s \(number)."
    switch world.scheduler.draw({ $0.unit() }) {
    case ..<0.3: sendOnDevice(text)
    case ..<0.4: sendDraftOnDevice(text)
    case ..<0.6: record(number)
    case ..<0.7: editOnDevice(to: "\(text) An edit.")
    case ..<0.8: reactOnDevice()
    case ..<0.9: deleteOnDevice()
    case ..<0.95: readOnDevice()
    default: await renameDeviceConversation()
    }
    world.count(deed: "act on the device")
  }

  /// Makes the conversation, or asks for an existing one. Returns whether it exists.
  private func makeDeviceConversation() -> Bool {
    let promise = promises.devices[device]
    do {
      // An existing conversation stays local, regardless of the arguments.
      let isOnDevice = !promise.isMade || world.scheduler.draw { $0.chance(0.5) }
      try client.createConversation(promise.ids[0], members: [phone.user], isOnDevice: isOnDevice)
      guard !gate.isDead else { return false }
      promises.devices.update(device) { $0.isMade = true }
      return true
    } catch {
      checkRefusal(error)
      return false
    }
  }

  /// One of the IDs that the conversation has had.
  private var deviceConversation: ConversationHandle {
    let ids = promises.devices[device].ids
    return client.conversation(world.scheduler.draw { $0.pick(ids)! })
  }

  private func sendOnDevice(_ text: String) {
    let chat = deviceConversation
    let id = world.scheduler.draw { $0.chance(0.3) } ? MessageID(rawValue: "\(text) ID") : nil
    tryOnDevice(.add([.init(id: id, sender: phone.user, text: text)])) {
      if let id { _ = try chat.sendOnce(text, id: id) } else { try chat.send(text) }
    }
  }

  /// Sends the composer's content, sometimes with a file. Another process of the phone may be typing in the same
  /// composer.
  private func sendDraftOnDevice(_ text: String) {
    guard phone.store == nil else { return sendOnDevice(text) }
    let chat = deviceConversation
    client.drafts.edit(text, in: chat.id)
    if world.scheduler.draw({ $0.chance(0.5) }) {
      do {
        try chat.attach(Data(text.utf8), name: "\(DevicePromises.mark).txt")
      } catch {
        checkRefusal(error)
      }
    }
    guard !gate.isDead else { return }
    let files = client.drafts.attachments(in: chat.id).map(\.checksum)
    tryOnDevice(.add([.init(sender: phone.user, text: text, attachments: files)])) { try chat.sendDraft() }
  }

  /// Records finished messages of several authors. Some of them may have been recorded before.
  private func record(_ number: Int) {
    let (first, count) = world.scheduler.draw { random in
      (random.chance(0.5) ? number : Int.random(in: 1...number, using: &random), random.pick([1, 1, 2, 5])!)
    }
    let messages = (first..<first + count).map { number in
      FinishedMessage(
        id: MessageID(rawValue: "\(DevicePromises.mark) \(name) \(number)"),
        sender: number.isMultiple(of: 2) ? phone.user : UserID(rawValue: "\(DevicePromises.mark) model"),
        role: number.isMultiple(of: 2) ? .user : .assistant,
        content: MessageContent("\(DevicePromises.mark): \(name)'s recorded \(number)."),
        createdAt: Date(timeIntervalSince1970: Double(number)))
    }
    let known = Set(promises.devices[device].rows.map(\.id))
    let new = messages.filter { !known.contains($0.id) }.map {
      DevicePromise.New(id: $0.id, sender: $0.sender, text: $0.content.text, isReported: false)
    }
    let chat = deviceConversation
    tryOnDevice(.add(new)) {
      let recorded = try chat.store(contentsOf: messages)
      guard recorded != new.count, !gate.isDead else { return }
      phone.fail(
        "what is recorded is there once", expected: "\(new.count) new messages", found: "\(recorded)")
    }
  }

  private func editOnDevice(to text: String) {
    let own = promises.devices[device].rows.filter { $0.sender == phone.user }
    guard let row = world.scheduler.draw({ $0.pick(own) }) else { return }
    tryOnDevice(.edit(row.id, text)) { try client.message(row.id).edit(to: text) }
  }

  private func deleteOnDevice() {
    let rows = promises.devices[device].rows
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    tryOnDevice(.delete(row.id)) { try client.message(row.id).delete() }
  }

  private func reactOnDevice() {
    let rows = promises.devices[device].rows
    guard let row = world.scheduler.draw({ $0.pick(rows) }) else { return }
    let value = world.scheduler.draw { $0.pick(["👍", "é"])! }
    let isWanted = !row.reactions.contains(value)
    tryOnDevice(.react(row.id, value, isWanted: isWanted)) {
      _ = isWanted ? try client.message(row.id).react(value) : try client.message(row.id).unreact(value)
    }
  }

  private func readOnDevice() {
    do {
      try deviceConversation.markRead()
    } catch {
      checkRefusal(error)
    }
  }

  private func renameDeviceConversation() async {
    let promise = promises.devices[device]
    guard let old = promise.ids.last, promise.ids.count < 4 else { return }
    do {
      try await client.conversation(old).replaceID(with: promise.nextID)
      guard !gate.isDead else { return }
      promises.devices.update(device) { $0.rename(to: promise.nextID) }
      world.trace(name, "calls \(old) \(promise.nextID)")
    } catch {
      checkRefusal(error)
    }
  }

  /// Performs an act in the conversation, and checks that it is done when the call returns, and not done when it is
  /// refused.
  private func tryOnDevice(_ act: DevicePromise.Act, _ call: () throws -> Void) {
    promises.devices.update(device) { $0.begin(act, in: name) }
    do {
      try call()
      resolveOnDevice(isDone: true, "\(act)")
    } catch {
      checkRefusal(error)
      // Another process may have done the same a moment ago, and ended in the call.
      let isElsewhere = phone.store != nil && (error as? ChatError)?.code == .unknownMessage
      resolveOnDevice(isDone: isElsewhere ? nil : false, "\(act)")
    }
  }

  /// - Parameter isDone: nil when it is unknown.
  func resolveOnDevice(isDone: Bool?, _ act: String) {
    guard !gate.isDead else { return world.trace(name, "ends in a call that does not return") }
    world.trace(name, "\(isDone == true ? "on the device:" : "on the device, in vain:") \(act)")
    phone.resolveOnDevice(client, isDone: isDone)
    phone.checkDevice(client)
  }
}

extension SimulatedPhone {
  /// The conversations whose timelines are on the screen.
  var shownConversations: [ConversationID] {
    conversations + (world.plan.onDevice > 0 ? [DevicePromises.firstID(on: device)] : [])
  }

  /// Adopts the result of the process's last call in the local conversation.
  func resolveOnDevice(_ client: ChatClient, isDone: Bool?) {
    guard world.plan.onDevice > 0, let found = rowsOnDevice(client) else { return }
    let finished = found.filter { $0.status.isComplete }.map(DevicePromise.Row.init)
    if let violation = promises.devices.update(device, { $0.resolve(name, in: finished, isDone: isDone) }) {
      fail(violation.promise, expected: violation.expected, found: violation.found)
    }
  }

  /// Checks that the local conversation has exactly its user's messages, and that all of them are delivered.
  func checkDevice(_ client: ChatClient) {
    let promise = promises.devices[device]
    guard world.plan.onDevice > 0, promise.isMade, let found = rowsOnDevice(client) else { return }
    let finished = found.filter { $0.status.isComplete }
    if let row = finished.first(where: { !isKept($0) }) {
      fail(
        "what is stored on the device is delivered", expected: "\(row.id) to be delivered to its user alone",
        found: "\(row.status.code), read by \(row.readBy), \(row.isMine ? "" : "not ")mine")
    }
    if let violation = promise.violation(in: finished.map(DevicePromise.Row.init)) {
      fail(violation.promise, expected: violation.expected, found: violation.found)
    }
    // Two processes that type in one composer see each other's text a moment later.
    guard store == nil else { return }
    let draft = client.drafts.text(in: promise.ids[0])
    if finished.contains(where: { $0.text == draft }) {
      fail("a sent text is in one place", expected: "'\(draft)' in the timeline", found: "it as a draft")
    }
  }

  private func isKept(_ row: MessageRow) -> Bool {
    !row.status.isUnsent && row.operation == nil && row.readBy.isEmpty
      && row.isMine == (row.sender == user) && row.attachments.allSatisfy { $0.state == .here }
      && row.reactions.allSatisfy { $0.count == 1 && $0.isMine }
  }

  private func rowsOnDevice(_ client: ChatClient) -> [MessageRow]? {
    let promise = promises.devices[device]
    guard let snapshot = try? screen.fresh(promise.ids[0], of: client) else {
      return nil
    }
    if promise.isMade, !snapshot.exists {
      fail("what is stored on the device stays", expected: "\(promise.ids[0])", found: "nothing")
    }
    return snapshot.rows
  }
}

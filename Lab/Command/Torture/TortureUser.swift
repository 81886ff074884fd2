import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue
import HoldfastTesting

/// A user who types and sends, never the same text twice, and relaunches the app each time it has ended.
struct TortureUser: Sendable {
  static let conversation: ConversationID = "everyone"

  let phone: TorturedPhone
  let tally: TortureTally
  let environment: ChatEnvironment
  let bedtime: Latch
  var dice: SeededRandom
  private var texts = 0

  init(
    phone: TorturedPhone, tally: TortureTally, environment: ChatEnvironment, bedtime: Latch,
    dice: SeededRandom
  ) {
    self.phone = phone
    self.tally = tally
    self.environment = environment
    self.bedtime = bedtime
    self.dice = dice
  }

  /// Uses the phone until bedtime, and leaves it with its app running.
  mutating func use() async {
    var failures = 0
    while !Task.isCancelled, failures < 10 {
      if await phone.launch() {
        failures = 0
        if await useApp() { return }
      } else {
        failures += 1
      }
      await phone.whenEnded()
      await rest(for: 0...2000)
    }
  }

  /// Uses the app until bedtime. Returns false when the app has ended.
  private mutating func useApp() async -> Bool {
    while !bedtime.hasRung {
      guard phone.isRunning, await act() else { return false }
      await rest(for: dice.chance(0.6) ? 0...20 : 20...400)
    }
    return phone.isRunning
  }

  /// Does one thing at random. Returns false when the app has ended.
  private mutating func act() async -> Bool {
    texts += 1
    let text = "\(phone.name) \(texts)."
    switch dice.unit() {
    case ..<0.52: return await send(padded(text))
    case ..<0.55: return await sendAndDie(text)
    case ..<0.80:
      guard await edit(String(text.dropLast(2))), await edit(text) else { return false }
      return await send(text)
    case ..<0.90: return await draft(text)
    case ..<0.96:
      guard await draft(text) else { return false }
      return await hide()
    default:
      guard await draft(text) else { return false }
      await rest(for: 500...9000)
      return true
    }
  }

  /// Makes the text longer than one packet, now and then.
  private mutating func padded(_ text: String) -> String {
    guard dice.chance(0.03) else { return text }
    return text + String(repeating: " and so on", count: Int.random(in: 100...2000, using: &dice))
  }

  /// Sends a text and kills the app around the moment in which it stores the text.
  private mutating func sendAndDie(_ text: String) async -> Bool {
    let moment = dice.milliseconds(0...30)
    let phone = phone, environment = environment
    async let end: Void = {
      try? await environment.sleep(environment.uptime() + moment)
      await phone.kill()
    }()
    _ = await send(text)
    await end
    return false
  }

  private func send(_ text: String) async -> Bool {
    tally.attempt(text, on: phone.name)
    phone.series { $0.send(text, at: $1) }
    switch await perform(.send, text) {
    case .handled(_, isRefused: false):
      phone.series { series, _ in series.sent() }
      tally.conclude(.taken, on: phone.name)
      return true
    case .handled:
      phone.series { series, _ in series.refused() }
      tally.conclude(.refused, on: phone.name)
      return true
    case .noApp:
      tally.conclude(.unanswered, on: phone.name)
      return false
    }
  }

  private func draft(_ text: String) async -> Bool {
    tally.count(\.drafts)
    return await edit("draft \(text)")
  }

  private func edit(_ text: String) async -> Bool {
    phone.series { $0.type(text, at: $1) }
    guard case .handled = await perform(.edit, text) else { return false }
    phone.series { $0.typed(at: $1) }
    return true
  }

  /// Hides the app. The composer's text is on disk when the phone has answered (rule D4).
  private func hide() async -> Bool {
    guard case .handled = await perform(.rest) else { return false }
    phone.series { series, _ in series.stored() }
    return true
  }

  private func perform(_ kind: PhoneIntent.Kind, _ text: String? = nil) async -> Handset.Outcome {
    await phone.handset.perform(
      PhoneIntent(type: kind, conversation: Self.conversation.rawValue, text: text))
  }

  private mutating func rest(for span: ClosedRange<Int>) async {
    await bedtime.wait(until: environment.uptime() + dice.milliseconds(span), in: environment)
  }
}

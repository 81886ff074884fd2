import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

/// Places that are shared, and links and activities that are opened (rule R7).
@Suite struct SceneLinksTests {
  private let links: SceneLinks

  init() throws { links = try SceneLinks(activityType: "app.kelp.open", base: "kelp://open") }

  private func code(_ text: String) -> ChatError.Code? {
    // Without this argument, Foundation repairs the invalid parts.
    guard let url = URL(string: text, encodingInvalidCharacters: false) else { return .malformedLink }
    do throws(ChatError) {
      _ = try links.activity(from: url)
      return nil
    } catch {
      return error.code
    }
  }

  // R7.2
  @Test(arguments: [
    (nil, nil), ("p-1", nil), (nil, "alice-bob"), ("Häuser & Gärten", "a=b&c?d#e/f"),
    ("👩‍👩‍👧", "%2e%2E+ \u{202E}x"), (String(repeating: "é", count: 127), String(repeating: "%", count: 255)),
  ])
  func `a link opens the same place`(project: String?, conversation: String?) throws {
    let activity = SceneActivity(
      title: "a secret plan", project: project, conversation: conversation.map(ConversationID.init(rawValue:))
    )
    let url = try links.url(for: activity)
    #expect(!url.absoluteString.contains("secret"), "A title may be the beginning of a message.")
    let opened = try links.activity(from: url)
    #expect(opened.project.map { Array($0.utf8) } == project.map { Array($0.utf8) })
    #expect(opened.conversation == activity.conversation)
    #expect(opened.title == "")
  }

  // R7.6
  @Test func `an activity leads to the web where the app is not, if the app has a website`() throws {
    let place = SceneActivity(project: "p", conversation: "a&b")
    #expect(links.webpageURL(for: place) == nil)
    let both = try SceneLinks(
      activityType: "app.kelp.open", base: "kelp://open", web: "https://Kelp.example/open")
    let address = try #require(both.webpageURL(for: place))
    #expect(address.absoluteString == "https://kelp.example/open?project=p&conversation=a%26b")
    #expect(try both.activity(from: address) == place)
    #expect(try both.activity(from: try both.url(for: place)) == place)
    #expect(try both.url(for: place).scheme == "kelp")
    let webAlone = try SceneLinks(activityType: "app.kelp.open", base: "https://kelp.example/open")
    #expect(webAlone.webpageURL(for: place) == address)
    #expect(both.webpageURL(for: SceneActivity(conversation: "")) == nil)
    for web in ["kelp://web", "https://user@kelp.example", "https://kelp.example?x", ""] {
      #expect(throws: ChatError.self) {
        try SceneLinks(activityType: "app.kelp.open", base: "kelp://open", web: web)
      }
    }
  }

  // R7.1
  @Test func `an activity opens the same place, and has what the system asks for`() throws {
    let activity = SceneActivity(title: "Weekend trip", project: "p", conversation: "c")
    #expect(activity.isEligibleForHandoff)
    #expect(activity.isEligibleForSearch)
    let info = links.userInfo(for: activity)
    #expect(info == ["version": "1", "project": "p", "conversation": "c"])
    #expect(
      try links.activity(ofType: links.activityType, title: activity.title, userInfo: info) == activity)
    let long = try links.activity(
      ofType: links.activityType, title: String(repeating: "x", count: 9999), userInfo: ["version": "1"])
    #expect(long.title.count == 200)
  }

  // R7.3, R7.4
  @Test func `an activity of another type or with other contents is refused`() {
    func code(_ type: String, _ info: [AnyHashable: Any]) -> ChatError.Code? {
      do throws(ChatError) {
        _ = try links.activity(ofType: type, title: nil, userInfo: info)
        return nil
      } catch {
        return error.code
      }
    }
    let type = links.activityType
    #expect(code("com.other.open", ["version": "1"]) == .foreignLink)
    #expect(code("APP.KELP.OPEN", ["version": "1"]) == .foreignLink)
    #expect(code(type, [:]) == .malformedLink)
    #expect(code(type, ["version": 1]) == .malformedLink)
    #expect(code(type, ["version": "2"]) == .malformedLink)
    #expect(code(type, ["version": "1", "conversation": 7]) == .malformedLink)
    #expect(code(type, ["version": "1", "conversation": ""]) == .malformedLink)
    #expect(code(type, ["version": "1", "conversation": "a\u{0}b"]) == .malformedLink)
    #expect(code(type, ["version": "1", "project": String(repeating: "x", count: 256)]) == .malformedLink)
    #expect(code(type, ["version": "1", "project": ["p"]]) == .malformedLink)
    #expect(code(type, ["version": "1", 7: "something that the system adds"]) == nil)
  }

  // R7.3
  @Test(arguments: [
    "other://open?conversation=c", "kelp://other?conversation=c", "kelp://open/deeper?conversation=c",
    "kelp://open.evil.example?conversation=c", "kelp://user@open?conversation=c",
    "kelp://open:80?conversation=c",
    "https://open?conversation=c", "kelp:open?conversation=c", "javascript:alert(1)", "file:///etc/passwd",
    "kelp://?conversation=c", "kelp://%6Fpen?conversation=c",
  ])
  func `a link of another app is refused`(text: String) { #expect(code(text) == .foreignLink) }

  // R7.4
  @Test(arguments: [
    "kelp://open?conversation=", "kelp://open?conversation", "kelp://open?", "kelp://open?conversation=a&",
    "kelp://open?conversation=a&conversation=b", "kelp://open?other=a", "kelp://open?conversation=a&other=b",
    "kelp://open?conversation=%00", "kelp://open?conversation=a%0Ab", "kelp://open?conversation=%7F",
    "kelp://open?conversation=%FF", "kelp://open?conversation=%C0%AF", "kelp://open?conversation=%ED%A0%80",
    "kelp://open?conversation=%4", "kelp://open?conversation=%", "kelp://open?conversation=%GG",
    "kelp://open?conversation=a+b", "kelp://open?conversation=a=b", "kelp://open?conversation=a#fragment",
    "kelp://open?Conversation=a", "kelp://open?%63onversation=a",
    "kelp://open?conversation=\(String(repeating: "x", count: 256))",
    "kelp://open?conversation=\(String(repeating: "x", count: 5000))",
  ])
  func `a link that this app has not written is refused`(text: String) {
    #expect(code(text) == .malformedLink)
  }

  // R7.2, R7.3
  @Test func `scheme and host ignore the case of letters, and the path does`() throws {
    #expect(code("KELP://Open?conversation=c") == nil)
    let web = try SceneLinks(activityType: "t", base: "https://Kelp.Example:8443/Open")
    let url = try web.url(for: SceneActivity(conversation: "c"))
    #expect(url.absoluteString == "https://kelp.example:8443/Open?conversation=c")
    #expect(try web.activity(from: url).conversation == "c")
    let other = try #require(URL(string: "https://kelp.example:8443/open?conversation=c"))
    #expect { try web.activity(from: other) } throws: { ($0 as? ChatError)?.code == .foreignLink }
  }

  // R7
  @Test(arguments: [
    "", "kelp", "kelp:", "kelp://", "kelp:///open", "kelp://user@open", "kelp://open?x=1", "kelp://open#x",
    "1kelp://open", "kelp://op en", "kelp://open\n", "://open", "kelp://open/a:b",
  ])
  func `an invalid base is refused`(base: String) {
    #expect { try SceneLinks(activityType: "t", base: base) } throws: {
      ($0 as? ChatError)?.code == .malformedLink
    }
  }

  // R7
  @Test func `a place that no link can carry is not written`() {
    for activity in [
      SceneActivity(conversation: ""), SceneActivity(project: "a\nb"),
      SceneActivity(conversation: ConversationID(rawValue: String(repeating: "x", count: 256))),
    ] {
      #expect { try links.url(for: activity) } throws: { ($0 as? ChatError)?.code == .malformedID }
    }
  }

  // R7.4: 20,000 links with random changes. An accepted link is one that this app would write.
  @Test func `hostile links are read as places or refused, and nothing traps`() throws {
    var dice = SeededRandom(seed: 7)
    let seeds = [
      "kelp://open?project=p-1&conversation=alice-bob", "kelp://open?conversation=%F0%9F%91%A9%20x",
      "KELP://open?project=%E4%BD%A0", "kelp://open",
    ].map { Array($0.utf8) }
    let pieces = [
      "%", "%00", "%C3", "&", "=", "?", "#", "+", "//", "@", ":", "\u{FEFF}", "é", "conversation=", "..", " ",
    ]
    var read = 0
    for _ in 0..<20_000 {
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &dice)]
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let index = Int.random(in: 0...bytes.count, using: &dice)
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &dice), at: index)
        case 1: if index < bytes.count { bytes.remove(at: index) }
        case 2: if index < bytes.count { bytes[index] = UInt8.random(in: 0x20...0x7E, using: &dice) }
        default:
          bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &dice)].utf8, at: index)
        }
      }
      guard let url = URL(string: String(decoding: bytes, as: UTF8.self)),
        let activity = try? links.activity(from: url)
      else { continue }
      read += 1
      #expect(activity.isWellFormed)
      #expect(url.absoluteString.lowercased().hasPrefix("kelp://open"))
      #expect(try links.activity(from: try links.url(for: activity)) == activity)
    }
    #expect(read > 100, "Some of them are links all the same.")
  }
}

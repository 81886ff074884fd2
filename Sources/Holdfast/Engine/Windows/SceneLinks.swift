import Foundation
import HoldfastCore
import HoldfastStore

/// How an app writes the places that it passes on: the type of its activities, and the beginning of its links (SPEC R7).
///
/// ```swift
/// let links = try SceneLinks(activityType: "app.kelp.open", base: "kelp://open")
/// .onOpenURL { url in if let activity = try? links.activity(from: url) { scene.open(activity) } }
/// ```
///
/// What it reads may come from anybody who can show a link. It reads what it writes, and refuses everything else.
public struct SceneLinks: Sendable, Hashable {
  /// Listed in the app's `NSUserActivityTypes`.
  public let activityType: String
  /// Scheme, host and path, in small letters as far as the letters' case says nothing.
  private let base: String

  /// Longer ones are of somebody else: two IDs of 255 bytes have 1,530 characters at most.
  package static let maximumBytes = 4096
  package static let version = "1"
  static let userInfoKeys = (version: "version", project: "project", conversation: "conversation")

  /// - Parameter base: a scheme of the app's own, or an address that it is associated with: "kelp://open",
  ///   "https://kelp.example/open". Without a user, a query or a fragment.
  /// - Throws: ``ChatError`` with code `malformedLink`: the base or the type is none.
  public init(activityType: String, base: String) throws(ChatError) {
    guard let known = Self.base(base), MessageID.isWellFormed(activityType) else {
      throw ChatError(
        .malformedLink, "The base of links is like kelp://open, without a user, a query or a fragment.")
    }
    self.activityType = activityType
    self.base = known
  }

  /// Opens the same place. Its title is not in it.
  ///
  /// - Throws: ``ChatError`` with code `malformedID`: a project or a conversation has no ID that could be passed on.
  public func url(for activity: SceneActivity) throws(ChatError) -> URL {
    let fields = [
      (Self.userInfoKeys.project, activity.project),
      (Self.userInfoKeys.conversation, activity.conversation?.rawValue),
    ]
    let query = fields.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
    let text = query.isEmpty ? base : base + "?" + query.joined(separator: "&")
    guard activity.isWellFormed, let url = URL(string: text) else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    return url
  }

  /// The place that a link names. Whether it is there shows when it is opened.
  ///
  /// - Throws: ``ChatError`` with code `foreignLink` for another scheme, host or path, and with `malformedLink` for one that
  ///   this app has not written. Neither says anything of what is in it.
  public func activity(from url: URL) throws(ChatError) -> SceneActivity {
    let text = url.absoluteString
    guard text.utf8.count <= Self.maximumBytes else { throw Self.malformed }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let beginning = parts.first, let known = Self.base(String(beginning)), known == base else {
      throw ChatError(.foreignLink, "The link is none of this app's places.")
    }
    guard parts.count == 2 else { return SceneActivity() }
    var values: [Substring: String] = [:]
    for field in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
      let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let value = Self.unescaped(pair[1]),
        values.updateValue(value, forKey: pair[0]) == nil
      else { throw Self.malformed }
    }
    return try Self.activity(
      project: values.removeValue(forKey: Substring(Self.userInfoKeys.project)),
      conversation: values.removeValue(forKey: Substring(Self.userInfoKeys.conversation)),
      isComplete: values.isEmpty)
  }

  /// What an activity of the system carries besides its type and its title.
  func userInfo(for activity: SceneActivity) -> [String: String] {
    var info = [Self.userInfoKeys.version: Self.version]
    info[Self.userInfoKeys.project] = activity.project
    info[Self.userInfoKeys.conversation] = activity.conversation?.rawValue
    return info
  }

  /// The place that an activity names: of this app's type, with this version's texts and nothing else but what the system
  /// adds.
  func activity(
    ofType type: String, title: String?, userInfo: [AnyHashable: Any]
  ) throws(ChatError) -> SceneActivity {
    guard type == activityType else {
      throw ChatError(.foreignLink, "The activity is of another type than this app's places.")
    }
    func text(_ key: String) throws(ChatError) -> String? {
      guard let value = userInfo[key] else { return nil }
      guard let text = value as? String else { throw Self.malformed }
      return text
    }
    guard try text(Self.userInfoKeys.version) == Self.version else { throw Self.malformed }
    var activity = try Self.activity(
      project: try text(Self.userInfoKeys.project), conversation: try text(Self.userInfoKeys.conversation),
      isComplete: true)
    activity.title = String((title ?? "").prefix(200))
    return activity
  }

  private static func activity(
    project: String?, conversation: String?, isComplete: Bool
  ) throws(ChatError) -> SceneActivity {
    let activity = SceneActivity(
      project: project, conversation: conversation.map(ConversationID.init(rawValue:)))
    guard isComplete, activity.isWellFormed else { throw malformed }
    return activity
  }

  private static var malformed: ChatError {
    ChatError(.malformedLink, "The link or the activity is not as this app writes them. Nothing was opened.")
  }

  /// Scheme and host do not tell small letters from large ones. Nil: it is no such beginning.
  private static func base(_ text: String) -> String? {
    guard text.utf8.count <= maximumBytes, let end = text.range(of: "://") else { return nil }
    let scheme = text[..<end.lowerBound].utf8
    let rest = text[end.upperBound...]
    let host = rest.prefix { $0 != "/" }
    guard let first = scheme.first, isLetter(first),
      scheme.allSatisfy({
        isLetter($0) || isDigit($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
      }),
      !host.isEmpty,
      rest.utf8.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }),
      !rest.dropFirst(host.count).contains(":")
    else { return nil }
    return text[..<end.upperBound].lowercased() + host.lowercased() + rest.dropFirst(host.count)
  }

  /// Everything but letters, digits and `-._~` is written as `%` and two digits for each byte.
  private static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { escaped, byte in
      if isUnreserved(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }

  /// Nil: a character stands there that is not written so, or the bytes are no UTF-8.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else if byte == UInt8(ascii: "%"), let high = digit(rest.popFirst()), let low = digit(rest.popFirst())
      {
        bytes.append(high << 4 | low)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.flatMap { UInt8(exactly: $0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte)
      || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(byte)
  }
}

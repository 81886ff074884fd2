import Foundation
import HoldfastCore
import HoldfastStore

/// The type of an app's activities, and the beginning of its links (rule R7).
///
/// ```swift
/// let links = try SceneLinks(activityType: "app.kelp.open", base: "kelp://open")
/// .onOpenURL { url in if let activity = try? links.activity(from: url) { scene.open(activity) } }
/// ```
///
/// Links may come from anybody who can show one. Only links and activities as this type writes them are read. All
/// others are refused.
public struct SceneLinks: Sendable, Hashable {
  /// The type of the app's activities, which is listed in its `NSUserActivityTypes`.
  public let activityType: String
  /// The scheme, host and path. The scheme and the host are in small letters.
  private let base: String
  /// The beginning of the same links on the web. Nil when the app has no website that opens its places.
  private let web: String?

  /// The longest link that is read. The app's own links are shorter: two IDs of 255 bytes have 1,530 characters at
  /// most.
  package static let maximumBytes = 4096
  package static let version = "1"
  static let userInfoKeys = (version: "version", project: "project", conversation: "conversation")

  /// - Parameter base: a scheme of the app's own, or an address that the app is associated with: "kelp://open",
  ///   "https://kelp.example/open". It has no user, no query and no fragment.
  /// - Parameter activityType: the type of the app's activities for Handoff, as in its `Info.plist` under
  ///   `NSUserActivityTypes`.
  /// - Parameter web: an address on the web that opens the same places, such as "https://kelp.example/open". A device
  ///   of the user without the app then opens the place there. An address as `base` is the address on the web too.
  ///   Nil: such a device opens nothing.
  /// - Throws: ``ChatError`` with code `malformedLink` when a base or the type is not valid.
  public init(activityType: String, base: String, web: String? = nil) throws(ChatError) {
    let knownWeb = web.map(Self.base)
    guard let known = Self.base(base), MessageID.isWellFormed(activityType),
      knownWeb.map({ $0.map(Self.isOnWeb) == true }) != false
    else {
      throw ChatError(
        .malformedLink,
        "The base of links is like kelp://open or https://kelp.example/open, without a user, a query or a fragment."
      )
    }
    self.activityType = activityType
    self.base = known
    self.web = (knownWeb ?? nil) ?? (Self.isOnWeb(known) ? known : nil)
  }

  /// The link that opens the place of an activity. The title is not part of it.
  ///
  /// - Throws: ``ChatError`` with code `malformedID` when the ID of the project or the conversation cannot be part of a
  ///   link.
  public func url(for activity: SceneActivity) throws(ChatError) -> URL {
    try url(for: activity, behind: base)
  }

  /// The address on the web that opens the place. The system's activity carries it as its `webpageURL`, so that a
  /// device without the app opens the browser. Nil when the app has none, or when the place cannot be part of a link.
  package func webpageURL(for activity: SceneActivity) -> URL? {
    web.flatMap { try? url(for: activity, behind: $0) }
  }

  private func url(for activity: SceneActivity, behind base: String) throws(ChatError) -> URL {
    let fields = [
      (Self.userInfoKeys.project, activity.project),
      (Self.userInfoKeys.conversation, activity.conversation?.rawValue),
    ]
    let query = fields.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
    let text = query.isEmpty ? base : base + "?" + query.joined(separator: "&")
    guard activity.isWellFormed, let url = URL(string: text) else {
      throw ChatError.malformedID
    }
    return url
  }

  /// The place that a link names. Opening the place shows whether it exists.
  ///
  /// - Throws: ``ChatError`` with code `foreignLink` for another scheme, host or path, and with code `malformedLink`
  ///   for a link that this app has not written. Neither error contains any of the link's contents.
  public func activity(from url: URL) throws(ChatError) -> SceneActivity {
    let text = url.absoluteString
    guard text.utf8.count <= Self.maximumBytes else { throw Self.malformed }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let beginning = parts.first, let known = Self.base(String(beginning)), known == base || known == web
    else {
      throw ChatError(
        .foreignLink, "The link does not lead to a place in this app. Use a link that the app has made.")
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

  /// The contents of a system activity besides its type and its title.
  package func userInfo(for activity: SceneActivity) -> [String: String] {
    var info = [Self.userInfoKeys.version: Self.version]
    info[Self.userInfoKeys.project] = activity.project
    info[Self.userInfoKeys.conversation] = activity.conversation?.rawValue
    return info
  }

  /// The place that a system activity names. The activity must have this app's type, this version, and texts as values.
  /// Other keys, such as those that the system adds, are ignored.
  package func activity(
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

  /// The beginning of a link, with its scheme and host in small letters, because their case does not matter. Nil when
  /// the text is not the beginning of a link.
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

  private static func isOnWeb(_ base: String) -> Bool {
    base.hasPrefix("https://") || base.hasPrefix("http://")
  }

  /// The text with every byte escaped as `%` and two digits, except letters, digits and `-._~`.
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

  /// The text without its escapes. Nil when a character should have been escaped, or when the bytes are not UTF-8.
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

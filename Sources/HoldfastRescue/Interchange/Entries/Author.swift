import Foundation
import HoldfastCore

/// The author of a message, according to its fields.
struct Author {
  var role = MessageRole.user
  /// The account or the assistant. Nil when the role is enough.
  var sender: UserID?
  /// Whether the user of the file wrote it. Nil when unknown.
  var isOwn: Bool?
  /// Whether a field names the author.
  private(set) var isNamed = false
  /// The author's name or ID in the file.
  private(set) var name: String?
  /// Whether the evidence conflicts: the name is the user's except for its case, or a flag marks the message as the
  /// user's and a name as another's.
  private(set) var isDoubtful = false
  /// Whether only a word such as "me" identifies the user as the author.
  private(set) var isOwnByWord = false
  /// Whether the field that the user has chosen as the author's has no name here.
  private(set) var isUnreadable = false
  /// Whether an author field is present, with or without a name in it.
  private(set) var hasField = false
  /// The account beside a role, which is the author's or that of the file's owner. Nil when a name decides or
  /// nothing does.
  private(set) var account: String?
  /// The account, if it is the user's own.
  private(set) var ownAccount: String?
  /// The fields behind the decision. Nil for an author that was made from a role.
  private(set) var fields: LooseFields?

  /// - Parameters:
  ///   - user: the user into whose store the file is imported.
  ///   - authors: the user's statement about the file's authors.
  ///   - accountsDiffer: whether the accounts beside roles differ. A single account is that of the file's owner.
  init(_ fields: LooseFields, user: UserID?, _ authors: ImportAuthors, _ accountsDiffer: Once<Bool>) throws {
    let roleName = fields.text("role", "authorrole", "senderrole", "speakerrole")
    let word = roleName ?? fields.object("author")?.text("role")
    if let word { read(role: word) }
    let isRoleNamed = isOwn != nil || sender != nil
    let flag = Self.flag(fields)
    isNamed = word != nil || flag != nil
    let me = authors.me ?? user?.rawValue
    (self.fields, hasField) = (
      fields, AuthorFields.isThere(in: fields) || AuthorFields.areWithin(fields, of: me)
    )
    var key = authors.field.map(LooseFields.plain) ?? AuthorFields.author(fields)
    isUnreadable = authors.field != nil && key.flatMap(fields.name) == nil
    if key == nil, let found = AuthorFields.account(fields), let account = fields.name(found) {
      // An app for a language model writes the account of its owner beside its messages.
      let isOwners = word != nil || flag == true || fields.has("iscreatedbyuser") || fields.has("isbot")
      if try !isOwners || role == .user && accountsDiffer() { key = found }
      if word != nil, role == .user { self.account = account }
      if fields.isNamed(me, found) { ownAccount = account }
    }
    if let key, let name = fields.name(key) {
      (self.name, isNamed) = (name, true)
      if me != nil, fields.isNamed(me, key) {
        (sender, isOwn) = (user, true)
      } else if let me, fields.isNamed(me, key, anyCase: true) {
        (sender, isDoubtful) = (user, true)
      } else {
        read(sender: name, isKnown: me != nil, hasOwnName: authors.me != nil, isRoleNamed)
      }
    }
    readFlags(fields)
  }

  init(role word: String) { read(role: word) }

  private static let roles: [(role: MessageRole, words: Set<String>)] = [
    (.user, ["user", "human", "me", "self", "you", "customer", "client", "prompter"]),
    (
      .assistant,
      [
        "assistant", "model", "bot", "ai", "gpt", "chatgpt", "claude", "bard", "bing", "gemini", "llm",
        "agent",
        "chatbot", "machine",
      ]
    ),
    (.system, ["system", "developer", "instruction", "instructions"]),
    (
      .tool,
      ["tool", "function", "toolresult", "observation", "functionresponse", "functioncall", "toolresponse"]
    ),
  ]

  private static func known(_ word: String) -> MessageRole? {
    let plain = LooseFields.plain(word)
    return roles.first { $0.words.contains(plain) }?.role
  }

  /// Reads a role. An unknown role becomes a sender.
  private mutating func read(role word: String) {
    if let known = Self.known(word) {
      (role, isOwn) = (known, known == .user ? nil : false)
    } else {
      (sender, isOwn) = (ImportedID.fitting(word.storable).map(UserID.init(rawValue:)), false)
    }
  }

  /// - Parameters:
  ///   - isKnown: whether it is known who the user is.
  ///   - hasOwnName: whether the user has stated his name in the file: then no other word means him.
  private mutating func read(sender name: String, isKnown: Bool, hasOwnName: Bool, _ isRoleNamed: Bool) {
    if let known = Self.known(name), !(known == .user && hasOwnName) {
      if !isRoleNamed { (role, isOwn, isOwnByWord) = (known, known == .user, known == .user) }
      if known != .user, role == known { sender = ImportedID.fitting(name).map(UserID.init(rawValue:)) }
    } else {
      // An invalid name still belongs to someone.
      let id = ImportedID.fitting(name).map(UserID.init(rawValue:))
      (sender, isOwn) = (id ?? "other", isKnown ? false : nil)
    }
  }

  private static let ownFlags = [
    "iscreatedbyuser", "fromme", "isfromme", "isme", "ismine", "isuser", "outgoing", "isoutgoing", "fromuser",
    "sentbyme", "byme", "mine", "isown", "issentbyme", "outbound", "issender", "isself", "iscurrentuser",
    "isfromuser", "me",
    "own", "self",
  ]
  private static let othersFlags = [
    "incoming", "isincoming", "isbot", "isai", "isassistant", "frombot", "isresponse", "fromai", "isreceived",
  ]

  /// The flags by which apps distinguish both sides: whether the message is the user's own. Nil when there is no
  /// such flag.
  private static func flag(_ fields: LooseFields) -> Bool? {
    switch fields.text("direction", "type", "kind", "messagetype").map(LooseFields.plain) {
    case "in", "incoming", "inbound", "received", "receive": return false
    case "out", "outgoing", "outbound", "sent", "send": return true
    default: break
    }
    return othersFlags.lazy.compactMap { fields[$0]?.bool }.first.map { !$0 }
      ?? ownFlags.lazy.compactMap { fields[$0]?.bool }.first
  }

  private mutating func readFlags(_ fields: LooseFields) {
    if let flag = Self.flag(fields) {
      // The name decides, until the user states that it is his.
      if flag, isOwn == false, name != nil, role == .user { return isDoubtful = true }
      isOwn = flag
      if !flag, sender == nil, role == .user { sender = "other" }
    }
    let isModel =
      fields["iscreatedbyuser"]?.bool == false || fields["isbot"]?.bool == true
      || fields["isai"]?.bool == true
    if isModel, role == .user { role = .assistant }
  }
}

import Foundation
import HoldfastCore

/// Who wrote a message, as its fields tell.
struct Author {
  var role = MessageRole.user
  /// The account or the assistant. Nil when the role says it all.
  var sender: UserID?
  /// Whether the user of the file wrote it. Nil when nothing tells.
  var isOwn: Bool?
  /// Whether a field tells who wrote it.
  private(set) var isTold = false
  /// The author's name or ID, as the file has it.
  private(set) var name: String?
  /// Whether the name of an account alone says that the author is not the user: it may be the user's, in the file's app.
  private(set) var isNamedOther = false

  /// The account beside a role, which is the author's or that of the file's owner. Nil when a name or nothing tells.
  var account: String?

  /// - Parameters:
  ///   - user: the user into whose store the file comes.
  ///   - authors: what the user says of the file's authors.
  ///   - namesAccounts: whether the accounts beside roles are those of the authors.
  init(_ fields: LooseFields, user: UserID?, _ authors: ImportAuthors, _ namesAccounts: Bool) {
    let told = fields.text("role", "authorrole", "senderrole", "speakerrole")
    let word = told ?? fields.object("author")?.text("role")
    if let word { read(role: word) }
    let isRoleTold = isOwn != nil || sender != nil
    let flag = Self.flag(fields)
    isTold = word != nil || flag != nil
    name = authors.field.map { fields.name(LooseFields.plain($0)) } ?? AuthorFields.name(fields)
    let isNamed = name != nil
    if !isNamed, let found = AuthorFields.account(fields) {
      // What a model's app writes beside its messages is the account of its owner.
      let isOwners = word != nil || flag == true || fields.has("iscreatedbyuser") || fields.has("isbot")
      if !isOwners || namesAccounts && role == .user { name = found }
      if word != nil, role == .user { account = found }
    }
    if let name {
      isTold = true
      read(sender: name, user: authors.me.map(UserID.init(rawValue:)) ?? user, as: user, isRoleTold)
      isNamedOther = isOwn == false && flag == nil && role == .user && !isNamed
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

  /// An unknown role becomes a sender.
  private mutating func read(role word: String) {
    if let known = Self.known(word) {
      (role, isOwn) = (known, known == .user ? nil : false)
    } else {
      (sender, isOwn) = (ImportedID.fitting(word.storable).map(UserID.init(rawValue:)), false)
    }
  }

  /// - Parameters:
  ///   - me: the user's name in the file.
  ///   - user: the user's name here.
  private mutating func read(sender name: String, user me: UserID?, as user: UserID?, _ isRoleTold: Bool) {
    let id = ImportedID.fitting(name).map(UserID.init(rawValue:))
    if id == me {
      (sender, isOwn) = (user, true)
    } else if let known = Self.known(name) {
      if !isRoleTold { (role, isOwn) = (known, known == .user) }
      if known != .user, role == known { sender = id }
    } else if let id {
      (sender, isOwn) = (id, me == nil ? nil : false)
    }
  }

  private static let ownFlags = [
    "iscreatedbyuser", "fromme", "isfromme", "isme", "ismine", "isuser", "outgoing", "isoutgoing", "fromuser",
    "sentbyme", "byme", "mine", "isown", "issentbyme",
  ]
  private static let othersFlags = [
    "incoming", "isincoming", "isbot", "isai", "isassistant", "frombot", "isresponse", "fromai", "isreceived",
  ]

  /// The flags by which apps tell both sides apart: whether the message is the user's own. Nil when none says so.
  private static func flag(_ fields: LooseFields) -> Bool? {
    switch fields.text("direction").map(LooseFields.plain) {
    case "in", "incoming", "inbound", "received", "receive": return false
    case "out", "outgoing", "outbound", "sent", "send": return true
    default: break
    }
    return othersFlags.lazy.compactMap { fields[$0]?.bool }.first.map { !$0 }
      ?? ownFlags.lazy.compactMap { fields[$0]?.bool }.first
  }

  private mutating func readFlags(_ fields: LooseFields) {
    if let flag = Self.flag(fields) {
      isOwn = flag
      if !flag, sender == nil, role == .user { sender = "other" }
    }
    let isModel =
      fields["iscreatedbyuser"]?.bool == false || fields["isbot"]?.bool == true || fields["isai"]?.bool == true
    if isModel, role == .user { role = .assistant }
  }
}

/// The names of the fields that say who wrote a message: a word for the author, and what of the author stands there, as in
/// `senderId`, `author_name` or `created_by`.
enum AuthorFields {
  private static let authors = [
    "sender", "from", "author", "speaker", "sentby", "writtenby", "postedby", "authoredby", "writer", "poster",
    "originator", "saidby", "submittedby",
  ]
  /// The account of the author, or of the owner of the whole file.
  private static let accounts = [
    "user", "username", "u", "uid", "creator", "createdby", "owner", "ownedby", "account", "member", "profile", "actor",
    "person", "nick", "nickname", "handle", "displayname", "screenname", "login", "identity", "who", "by",
  ]
  private static let details = [
    "", "id", "uid", "uuid", "userid", "user", "ref", "key", "jid", "pubkey", "email", "address", "handle", "login", "username",
    "name", "displayname", "fullname", "firstname", "nick", "nickname", "phone", "number", "info", "object", "data",
  ]
  /// The names of the fields with their ranks: the lowest of an entry's fields counts.
  private static let authorRanks = ranks(authors)
  private static let accountRanks = ranks(accounts)

  private static func ranks(_ words: [String]) -> [String: Int] {
    let names = details.flatMap { detail in words.map { $0 + detail } }.filter { !EntryReading.ids.contains($0) }
    return Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The name or the ID of the author.
  static func name(_ fields: LooseFields) -> String? { fields.name(ranked: authorRanks) }

  /// The name or the ID of the account beside the message.
  static func account(_ fields: LooseFields) -> String? { fields.name(ranked: accountRanks) }

  /// Whether a field is there for the author, with or without a name in it.
  static func isThere(in fields: LooseFields) -> Bool {
    fields.names.contains { (authorRanks[$0] != nil || accountRanks[$0] != nil) && fields[$0] != nil }
  }

  /// Fields that are known to be no author's, by the end of their names.
  private static let others = [
    "id", "uuid", "guid", "key", "hash", "token", "nonce", "at", "on", "date", "time", "timestamp", "type", "kind", "format",
    "url", "uri", "path", "status", "state", "version", "count", "text", "content", "body", "message", "msg", "error", "title",
    "subject", "caption", "lang", "language", "locale", "zone", "color", "priority", "model", "device", "platform", "os",
    "metadata", "category", "tag", "order", "index", "size", "length", "to", "value", "payload", "reasoning", "thinking",
  ]

  private static let persons = ["user", "author", "sender", "name", "nick", "member", "owner", "creator", "person"]

  /// Whether a field that is not known here could say who wrote the message.
  static func mayBeAuthor(_ key: String) -> Bool {
    authorRanks[key] == nil && accountRanks[key] == nil && !EntryReading.conversations.contains(key)
      && !EntryReading.queueFields.contains(key)
      && (persons.contains(where: key.contains) || !others.contains(where: key.hasSuffix))
  }
}

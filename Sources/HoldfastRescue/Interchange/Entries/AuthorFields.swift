/// The names of the fields that identify the author of a message: a word for the author, and the kind of the value,
/// as in `senderId`, `author_name` or `created_by`.
enum AuthorFields {
  private static let authors = [
    "sender", "from", "author", "speaker", "sentby", "writtenby", "postedby", "authoredby", "writer",
    "poster",
    "originator", "saidby", "submittedby",
  ]
  /// The account of the author, or of the owner of the whole file.
  private static let accounts = [
    "user", "username", "u", "uid", "creator", "createdby", "owner", "ownedby", "account", "member",
    "profile", "actor",
    "person", "nick", "nickname", "handle", "displayname", "screenname", "login", "identity", "who", "by",
  ]
  private static let details = [
    "", "id", "uid", "uuid", "userid", "user", "ref", "key", "jid", "pubkey", "email", "address", "handle",
    "login", "username",
    "name", "displayname", "fullname", "firstname", "nick", "nickname", "phone", "number", "info", "object",
    "data",
  ]
  /// The names of the fields with their ranks: the lowest rank in an entry wins.
  private static let authorRanks = ranks(authors)
  private static let accountRanks = ranks(accounts)

  private static func ranks(_ words: [String]) -> [String: Int] {
    let names = details.flatMap { detail in words.map { $0 + detail } }.filter {
      !EntryReading.ids.contains($0)
    }
    return Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The field with the name or the ID of the author.
  static func author(_ fields: LooseFields) -> String? { fields.named(ranked: authorRanks) }

  /// The field with the name or the ID of the account beside the message.
  static func account(_ fields: LooseFields) -> String? { fields.named(ranked: accountRanks) }

  /// Kinds of content.
  static let kinds: Set = [
    "text", "image", "video", "audio", "voice", "file", "document", "sticker", "location", "link", "markdown",
    "html", "plain",
    "message", "msg", "chat", "json", "gif", "photo", "picture", "media", "normal", "default", "mtext",
    "mroommessage",
  ]

  /// Whether an author field is present, with or without a name in it.
  static func isThere(in fields: LooseFields) -> Bool {
    fields.names.contains { (authorRanks[$0] != nil || accountRanks[$0] != nil) && fields[$0] != nil }
  }

  /// The objects in a message that describe someone else: the answered message, a topic, or a recipient.
  private static let ofOthers = [
    "reply", "quote", "parent", "forward", "mention", "reaction", "attachment", "file", "image", "preview",
    "recipient", "to", "conversation", "chat", "room", "channel", "thread", "group", "project", "member",
    "participant", "error", "link", "device",
  ]

  /// Whether an object in the message, such as its metadata, names an author who is not the user.
  static func areWithin(_ fields: LooseFields, of me: String?, depth: Int = 3) -> Bool {
    guard depth > 0 else { return false }
    return fields.objects.contains { name, inner in
      guard authorRanks[name] == nil, accountRanks[name] == nil, !ofOthers.contains(where: name.contains)
      else { return false }
      return inner.names.contains {
        (authorRanks[$0] != nil || accountRanks[$0] != nil)
          && (inner[$0]?.text != nil || inner[$0]?.object != nil) && inner.name($0) != nil
          && !inner.isNamed(me, $0)
      } || areWithin(inner, of: me, depth: depth - 1)
    }
  }

  /// Fields that never name an author, by the end of their names.
  private static let others = [
    "id", "uuid", "guid", "key", "hash", "token", "nonce", "at", "on", "date", "time", "timestamp", "format",
    "url", "uri",
    "path", "status", "state", "version", "count", "text", "content", "body", "message", "msg", "error",
    "subject", "caption",
    "lang", "language", "locale", "zone", "color", "priority", "model", "device", "platform", "os",
    "metadata", "category",
    "tag", "order", "index", "size", "length", "to", "value", "payload", "reasoning", "thinking", "parts",
    "images", "videos",
    "files", "attachments", "calls", "by", "revision", "reactions", "microseconds", "documents",
  ]
  private static let persons = [
    "user", "author", "sender", "name", "nick", "member", "owner", "creator", "person", "contact", "customer",
    "agent",
    "participant", "peer", "speaker", "party", "from",
  ]

  /// Whether the name of a field refers to a person.
  static func isPersons(_ key: String) -> Bool { persons.contains(where: key.contains) }

  /// Whether an unknown field could name the author of the message.
  static func mayBeAuthor(_ key: String) -> Bool {
    authorRanks[key] == nil && accountRanks[key] == nil && !EntryReading.conversations.contains(key)
      && !EntryReading.queueFields.contains(key) && !EntryReading.ids.contains(key)
      && (isPersons(key) || !others.contains(where: key.hasSuffix))
  }
}

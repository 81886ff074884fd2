import GRDB
import HoldfastCore

private enum NameColumn: String, QueryColumn {
  case name, conversationID, isPresent

  static let all = select("FROM conversationName")
  static let one = select("FROM conversationName WHERE name = ?")
  static let present = select("FROM conversationName WHERE conversationID = ? AND isPresent")
}

extension ConversationID {
  // The only column with names: all others refer to conversations by their keys.
  fileprivate init(_ row: QueryRow<NameColumn>) { self.init(rawValue: row[.name]) }
}

private enum JoinedColumn: String, QueryColumn {
  case id, conversationID

  static let all = select("FROM joinedConversation")
}

extension ConversationRows {
  func storedNames() throws -> ConversationNames.Table {
    var table = ConversationNames.Table()
    try forEachRow(of: NameColumn.all) { row in
      let name = ConversationID(row)
      table.keys[name] = row[.conversationID] as ConversationKey
      if row[.isPresent] { table.names[row[.conversationID]] = name }
      return true
    }
    try forEachRow(of: JoinedColumn.all) { row in
      table.joined[row[.id]] = row[.conversationID] as ConversationKey
      return true
    }
    return table
  }

  func storedKey(of name: ConversationID) throws -> ConversationKey {
    guard name.isWellFormed else { return ConversationKey(rawValue: name.rawValue) }
    return try row(NameColumn.one, [name.rawValue]) { $0[.conversationID] as ConversationKey }
      ?? ConversationKey(rawValue: name.rawValue)
  }

  func storedName(of key: ConversationKey) throws -> ConversationID {
    if let name = try row(NameColumn.present, [key.rawValue], ConversationID.init) { return name }
    let joined: ConversationKey? = try value(
      "SELECT conversationID FROM joinedConversation WHERE id = ?", [key.rawValue])
    return try joined.map(storedName) ?? ConversationID(rawValue: key.rawValue)
  }
}

extension ConversationRows where Access == Transaction {
  /// Renames a conversation. If another conversation has the new name, this one is merged into it. The holders of
  /// open drafts move those drafts themselves. If the conversation was erased, what is remembered of it moves with
  /// the name.
  ///
  /// - Returns: the conversation that has the name now.
  @discardableResult
  package func rename(_ key: ConversationKey, to name: ConversationID) throws -> ConversationKey {
    let holder = try self.holder(of: name, besides: key)
    var whole = key
    if let holder {
      // A conversation with this name that was just deleted absorbs nothing: it is erased and created again.
      try db.deletions.eraseToMakeAnew(holder)
      if try isHere(holder) {
        // A conversation that its user has just deleted is not merged into another one either.
        try db.deletions.eraseToMakeAnew(key)
        if try isHere(key) { try join(key, into: holder) } else { try joinRemains(of: key, into: holder) }
        whole = holder
      } else {
        try joinRemains(of: holder, into: key)
      }
    }
    try call(whole, name)
    for key in [key, whole] {
      changes.noteEntry(in: key)
      changes.noteDraft(in: key)
      changes.lanes.insert(key)
    }
    return whole
  }

  /// Records a name that the server used for a conversation before. Does nothing if the name belongs to another
  /// conversation here, or to an erased one.
  func noteEarlierName(_ name: ConversationID, of key: ConversationKey) throws {
    let holder = self.key(of: name)
    guard name.isWellFormed, holder != key, db.names.keys[name] == nil,
      localDeletions.horizons[holder] == nil,
      try !isHere(holder)
    else { return }
    try run(
      "INSERT INTO conversationName (name, conversationID) VALUES (?, ?)", [name.rawValue, key.rawValue])
    db.names.keys[name] = key
  }

  /// The other conversation whose present name this is. Nil when the name is free, or is an earlier name of another
  /// conversation: an earlier name can be reassigned.
  package func holder(of name: ConversationID, besides key: ConversationKey) throws -> ConversationKey? {
    let holder = self.key(of: name)
    return holder != key && self.name(of: holder) == name ? holder : nil
  }

  /// Sets the present name. The previous one stays among the conversation's names.
  private func call(_ key: ConversationKey, _ name: ConversationID) throws {
    try run(
      "UPDATE conversationName SET isPresent = 0 WHERE conversationID = ? AND isPresent", [key.rawValue])
    if key.rawValue.hasSameBytes(as: name.rawValue) {
      try run("DELETE FROM conversationName WHERE name = ?", [name.rawValue])
      (db.names.keys[name], db.names.names[key]) = (nil, nil)
    } else {
      try run(
        """
        INSERT INTO conversationName (name, conversationID, isPresent) VALUES (?, ?, 1)
        ON CONFLICT (name) DO UPDATE SET conversationID = excluded.conversationID, isPresent = 1
        """, [name.rawValue, key.rawValue])
      (db.names.keys[name], db.names.names[key]) = (key, name)
    }
  }
}

import HoldfastCore

extension Schema {
  static let version12 = """
    -- `conversation.id` never changes from now on. It is the conversation's first name on this device. A name that equals
    -- it has no row here, unless the name belongs to another conversation by now. The rows stay when the conversation
    -- goes, as long as something remembers it.
    CREATE TABLE conversationName (
      name TEXT PRIMARY KEY NOT NULL CHECK (name <> ''),
      conversationID TEXT NOT NULL CHECK (conversationID <> ''),
      -- The name by which app and server call the conversation now. A conversation without such a row has its first name.
      isPresent INTEGER NOT NULL DEFAULT 0 CHECK (isPresent IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX conversationName_present ON conversationName (conversationID) WHERE isPresent;
    CREATE INDEX conversationName_conversation ON conversationName (conversationID);
    INSERT INTO conversationName (name, conversationID) SELECT alias, conversationID FROM conversationAlias;

    -- Conversations that turned out to be the same as another one, whose part they are now.
    CREATE TABLE joinedConversation (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      conversationID TEXT NOT NULL CHECK (conversationID <> id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX joinedConversation_conversation ON joinedConversation (conversationID);

    -- Outcomes kept the name of their conversation, and not its ID.
    UPDATE delivery SET conversationID = (SELECT conversationID FROM conversationAlias WHERE alias = delivery.conversationID)
    WHERE conversationID IN (SELECT alias FROM conversationAlias);
    DROP TABLE conversationAlias;

    -- The server's own names. `message.serverID` was there before, and was never filled.
    CREATE INDEX message_serverID ON message (serverID) WHERE serverID IS NOT NULL;
    ALTER TABLE reaction ADD COLUMN serverID TEXT;
    ALTER TABLE forgottenMessage ADD COLUMN serverID TEXT;
    CREATE INDEX forgottenMessage_serverID ON forgottenMessage (serverID) WHERE serverID IS NOT NULL;
    CREATE INDEX reaction_serverID ON reaction (serverID) WHERE serverID IS NOT NULL;

    -- Operations that come as events. The server's name of the edit that made the text; empty when it has none; NULL
    -- when the text is no event's.
    ALTER TABLE message ADD COLUMN editID TEXT;
    CREATE INDEX message_editID ON message (editID) WHERE editID > '';

    -- What was done last to a reaction, also when it is gone: something older changes nothing.
    CREATE TABLE reactionTurn (
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      sender TEXT NOT NULL,
      value TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      serverID TEXT NOT NULL,
      PRIMARY KEY (messageID, sender, value)
    ) STRICT, WITHOUT ROWID;

    -- Operations and read marks whose message is not here yet. `target` is its ID or the server's name.
    CREATE TABLE waitingOperation (
      number INTEGER PRIMARY KEY NOT NULL,
      conversationID TEXT NOT NULL,
      target TEXT NOT NULL CHECK (target <> ''),
      kind TEXT NOT NULL,
      sender TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      serverID TEXT NOT NULL,
      content BLOB,
      isWhole INTEGER NOT NULL CHECK (isWhole IN (0, 1)),
      UNIQUE (target, kind, sender, createdAt, serverID, content)
    ) STRICT;
    CREATE INDEX waitingOperation_conversation ON waitingOperation (conversationID);
    """
}

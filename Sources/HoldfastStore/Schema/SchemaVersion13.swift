import HoldfastCore

extension Schema {
  static let version13 = """
    -- How far a conversation's messages are here. A conversation without a row was never asked about.
    CREATE TABLE history (
      conversationID TEXT PRIMARY KEY NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- The transport's place before which older messages are asked for. NULL: it has given none, or messages have made
      -- room since.
      place TEXT,
      -- The conversation begins with what is here.
      isWhole INTEGER NOT NULL CHECK (isWhole IN (0, 1))
    ) STRICT, WITHOUT ROWID;

    -- The server's order of the last message that its user has deleted with the conversation: nothing up to it is fetched
    -- again. 0: it had none. NULL: nothing was deleted.
    ALTER TABLE horizon ADD COLUMN deletedOrder INTEGER;
    -- What has made room cannot be told from what was deleted before, so it stays gone.
    UPDATE horizon SET deletedOrder = serverOrder;
    """
}

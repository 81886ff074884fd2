import HoldfastCore

extension Schema {
  static let version8 = """
    -- The place of the newest message that this user has read, and whether the server still has to be told.
    ALTER TABLE conversation ADD COLUMN readPlace INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN readIsPending INTEGER NOT NULL DEFAULT 0 CHECK (readIsPending IN (0, 1));
    CREATE INDEX conversation_readIsPending ON conversation (id) WHERE readIsPending;
    -- The messages of an earlier version were shown without a count of what is unread, so all of them count as read.
    UPDATE conversation SET readPlace = coalesce(
      (SELECT max(place) FROM message WHERE conversationID = conversation.id AND place < 4611686018427387904), 0);

    -- The place of the newest message that another member has read.
    CREATE TABLE readMark (
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      reader TEXT NOT NULL,
      place INTEGER NOT NULL,
      PRIMARY KEY (conversationID, reader)
    ) STRICT, WITHOUT ROWID;

    -- An own message was delivered, or has failed: for an app that keeps its messages itself. Rows stay until the app
    -- forgets them.
    CREATE TABLE delivery (
      -- The store-wide revision: it only grows, and is never given twice.
      number INTEGER PRIMARY KEY NOT NULL,
      -- The message and its conversation may be gone, or the conversation may have another ID since.
      messageID TEXT NOT NULL,
      conversationID TEXT NOT NULL,
      -- The server's order of a delivered message. NULL where the server has none.
      serverOrder INTEGER,
      -- The date of a delivered message.
      deliveredAt INTEGER,
      -- Why it failed: a code, and a sentence for the user.
      failedCode TEXT,
      failedExplanation TEXT,
      CHECK ((deliveredAt IS NULL) = (failedCode IS NOT NULL))
    ) STRICT;
    """
}

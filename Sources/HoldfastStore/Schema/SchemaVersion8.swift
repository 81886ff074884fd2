import HoldfastCore

extension Schema {
  static let version8 = """
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

import HoldfastCore

extension Schema {
  static let version9 = """
    -- The request that the message answers, as its author names it. NULL: none.
    ALTER TABLE message ADD COLUMN request TEXT;

    -- The conversation whose messages these were, until it was emptied. NULL: the conversation itself is deleted.
    ALTER TABLE deletion ADD COLUMN emptied TEXT;

    -- The place of the last message that was emptied. A message that the server does not number is placed behind it.
    ALTER TABLE conversation ADD COLUMN emptiedPlace INTEGER NOT NULL DEFAULT 0;
    """
}

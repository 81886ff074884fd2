import HoldfastCore

extension Schema {
  static let version11 = """
    -- The message is whole, and is written anew: what it says holds until the new text is whole.
    ALTER TABLE stream ADD COLUMN regenerates INTEGER NOT NULL DEFAULT 0 CHECK (regenerates IN (0, 1));
    -- The metadata of the new text, while it is being written.
    ALTER TABLE stream ADD COLUMN metadata BLOB;

    -- An edit that replaces all that the author gave the message, and not its text alone.
    ALTER TABLE operation ADD COLUMN isWhole INTEGER NOT NULL DEFAULT 0 CHECK (isWhole IN (0, 1));
    ALTER TABLE operation ADD COLUMN reasoning TEXT;
    ALTER TABLE operation ADD COLUMN metadata BLOB;
    ALTER TABLE operation ADD COLUMN images TEXT CHECK (images IS NULL OR json_valid(images));
    ALTER TABLE operation ADD COLUMN videos TEXT CHECK (videos IS NULL OR json_valid(videos));

    -- What a message said before it was written anew. Only this device has it.
    CREATE TABLE messageVersion (
      number INTEGER PRIMARY KEY NOT NULL,
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      body TEXT NOT NULL,
      formatting BLOB,
      reasoning TEXT,
      metadata BLOB,
      images TEXT CHECK (images IS NULL OR json_valid(images)),
      videos TEXT CHECK (videos IS NULL OR json_valid(videos)),
      keptAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX messageVersion_message ON messageVersion (messageID, number);

    -- What the answers of a member cost in a conversation, those that are deleted too.
    CREATE TABLE answerCost (
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      member TEXT NOT NULL,
      requests INTEGER NOT NULL,
      inputTokens INTEGER NOT NULL,
      outputTokens INTEGER NOT NULL,
      PRIMARY KEY (conversationID, member)
    ) STRICT, WITHOUT ROWID;
    """
}

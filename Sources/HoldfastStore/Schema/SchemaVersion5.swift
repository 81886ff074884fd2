import HoldfastCore

extension Schema {
  static let version5 = """
    -- Own messages that went before the server had taken them: they were taken back, or deleted with their conversation. Of
    -- one that was streamed the server may have pieces still; what comes of them is not begun again.
    CREATE TABLE forgottenStream (
      position INTEGER PRIMARY KEY NOT NULL,
      messageID TEXT NOT NULL UNIQUE
    ) STRICT;

    INSERT INTO setting (name, value) VALUES
      -- Transactions that deleted a text since the database was written anew: copies of it may lie there until then.
      ('remnants', 0),
      -- Nothing uses this number. Stores of this version have it.
      ('clearings', 0);
    """
}

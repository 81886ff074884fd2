import HoldfastCore

extension Schema {
  static let version4 = version4History + version4Scenes + version4Replies + version4Imports

  /// Conversations can be deleted, searched by their words, and limited in length.
  static let version4History = """
    -- A conversation that its user has deleted: hidden at once, and erased when Undo is not offered any more.
    CREATE TABLE deletion (
      conversationID TEXT PRIMARY KEY NOT NULL
        REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- Its last message then. What came later is new.
      position INTEGER NOT NULL,
      -- It is being erased, and nothing brings it back.
      isFinal INTEGER NOT NULL DEFAULT 0 CHECK (isFinal IN (0, 1))
    ) STRICT, WITHOUT ROWID;

    -- What a hidden conversation had in the outbox: it does not leave, is not counted, and comes back with Undo.
    CREATE TABLE outboxAside (
      position INTEGER PRIMARY KEY NOT NULL,
      messageID TEXT UNIQUE REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      operationID TEXT,
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      attempts INTEGER NOT NULL,
      unanswered INTEGER NOT NULL,
      mayHaveArrived INTEGER NOT NULL,
      departedAt INTEGER,
      parkedCode TEXT,
      parkedExplanation TEXT,
      isHeld INTEGER NOT NULL,
      enqueuedAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX outboxAside_conversation ON outboxAside (conversationID);

    -- How far a conversation's messages are not kept here any more: they were deleted with it, or made room. It stays
    -- when the conversation goes, so that nothing of it comes back from the server.
    CREATE TABLE horizon (
      conversationID TEXT PRIMARY KEY NOT NULL CHECK (conversationID <> ''),
      -- The server's order of the last of them. 0: it had none.
      serverOrder INTEGER NOT NULL,
      -- They made room, and those behind them are here: the timeline says so.
      isEvicted INTEGER NOT NULL CHECK (isEvicted IN (0, 1)),
      -- What the server knows of the conversation, for when somebody writes in it again.
      members TEXT NOT NULL CHECK (json_valid(members)),
      isConfirmed INTEGER NOT NULL CHECK (isConfirmed IN (0, 1))
    ) STRICT, WITHOUT ROWID;

    -- Own messages that were on their way when their conversation was deleted: an echo does not bring them back.
    CREATE TABLE forgottenMessage (
      id TEXT PRIMARY KEY NOT NULL,
      conversationID TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The words of the messages up to `indexedUpTo`, but for those in `unindexed`. The words are separated and folded
    -- before they come here.
    CREATE VIRTUAL TABLE messageText USING fts5 (words, tokenize = 'ascii');
    CREATE TABLE unindexed (position INTEGER PRIMARY KEY NOT NULL) STRICT;
    INSERT INTO setting (name, value) VALUES
      ('indexedUpTo', 0),
      -- Messages that were deleted since the parts of the index were merged: their words lie in it until then.
      ('indexRests', 0);

    -- A message that goes, or says something else, is not found by its old words from that moment on. The newest
    -- message's position may be given away again: what is indexed never reaches beyond it.
    CREATE TRIGGER message_text_gone AFTER DELETE ON message
    WHEN OLD.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo') BEGIN
      DELETE FROM messageText WHERE rowid = OLD.position;
      DELETE FROM unindexed WHERE position = OLD.position;
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests';
      UPDATE setting SET value = min(value, (SELECT coalesce(max(position), 0) FROM message))
        WHERE name = 'indexedUpTo';
    END;
    CREATE TRIGGER message_text_changed AFTER UPDATE OF body, position ON message
    WHEN (OLD.body IS NOT NEW.body OR OLD.position <> NEW.position)
      AND OLD.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo') BEGIN
      DELETE FROM messageText WHERE rowid = OLD.position;
      DELETE FROM unindexed WHERE position = OLD.position;
      INSERT OR IGNORE INTO unindexed (position)
        SELECT NEW.position WHERE NEW.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo');
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests';
      UPDATE setting SET value = min(value, (SELECT coalesce(max(position), 0) FROM message))
        WHERE name = 'indexedUpTo';
    END;
    """

  /// A revision, not a clock, decides which windows are forgotten when there are too many.
  static let version4Scenes = """
    -- The store-wide revision of its last change.
    ALTER TABLE scene ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    """

  /// Replies that were cut off can be continued or retried, by one process at a time.
  static let version4Replies = """
    -- The launch of the app that began to write it here, or went on last. NULL: it is not written on this device.
    ALTER TABLE stream ADD COLUMN writer TEXT;
    -- Earlier versions did not tell: what its owner wrote was most likely written here.
    UPDATE stream SET writer = 'before' WHERE messageID IN (
      SELECT id FROM message WHERE sender = (SELECT value FROM setting WHERE name = 'owner'));

    -- The launch of the app that began it.
    ALTER TABLE work ADD COLUMN writer TEXT NOT NULL DEFAULT 'before';
    -- Set at launch: whoever was waiting for its outcome is gone.
    ALTER TABLE work ADD COLUMN isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1));
    """

  /// An import that is repeated changes nothing, even after the imported items are gone.
  static let version4Imports = """
    -- What was imported into the outbox or into a composer: `message:` and an ID, or `draft:` and a checksum.
    CREATE TABLE importedItem (item TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
    """
}

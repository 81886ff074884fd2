import HoldfastCore

extension Schema {
  /// Edits, deletions and reactions share the queue of the messages, so that they are sent after their message. The
  /// versions of a draft outlive an emptied draft.
  static let version2 = """
    -- What was done to a message: shown over it until the server's own word has come.
    CREATE TABLE operation2 (
      position INTEGER PRIMARY KEY NOT NULL,
      -- The same on every attempt: the idempotency key.
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('edit', 'delete', 'react', 'unreact')),
      -- The new text, or the reaction.
      payload TEXT CHECK ((payload IS NULL) = (kind = 'delete')),
      -- The message's revision that it led to. NULL while it is in the outbox.
      acceptedRevision INTEGER,
      createdAt INTEGER NOT NULL
    ) STRICT;
    INSERT INTO operation2 (position, id, messageID, kind, payload, createdAt)
      SELECT position, id, messageID, kind, CASE WHEN kind <> 'delete' THEN coalesce(payload, '') END, createdAt
      FROM operation;

    -- A row here means: not yet confirmed by the server. What is read from it is the delivery state.
    CREATE TABLE outbox2 (
      -- First in, first out within a conversation.
      position INTEGER PRIMARY KEY NOT NULL,
      -- What waits: a message, or an operation.
      messageID TEXT UNIQUE REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      operationID TEXT,
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- Faults that were its own.
      attempts INTEGER NOT NULL DEFAULT 0,
      -- How often it left this device and nothing was heard of it since. Counted before its bytes leave.
      unanswered INTEGER NOT NULL DEFAULT 0,
      -- It has left this device, and the server has not said no since: the server may have it.
      mayHaveArrived INTEGER NOT NULL DEFAULT 0 CHECK (mayHaveArrived IN (0, 1)),
      -- The waiting clock's reading when it left first of those times. NULL: it has not left, or was refused.
      departedAt INTEGER,
      -- Why it stopped: a code, and a sentence for the user. NULL while it is queued.
      parkedCode TEXT,
      parkedExplanation TEXT,
      -- Held until the user has answered, not flushed.
      isHeld INTEGER NOT NULL DEFAULT 0 CHECK (isHeld IN (0, 1)),
      enqueuedAt INTEGER NOT NULL,
      CHECK ((messageID IS NULL) <> (operationID IS NULL))
    ) STRICT;
    INSERT INTO outbox2 (position, messageID, conversationID, attempts, unanswered, mayHaveArrived, departedAt,
        parkedCode, parkedExplanation, isHeld, enqueuedAt)
      SELECT position, messageID, conversationID, attempts, unanswered, mayHaveArrived,
        CASE WHEN mayHaveArrived THEN enqueuedAt END, parkedCode, parkedExplanation, isHeld, enqueuedAt
      FROM outbox;
    INSERT INTO outbox2 (position, operationID, conversationID, attempts, parkedCode, parkedExplanation, enqueuedAt)
      SELECT (SELECT coalesce(max(position), 0) FROM outbox) + row_number() OVER (ORDER BY o.position), o.id,
        m.conversationID, o.attempts, o.parkedCode, o.parkedExplanation, o.createdAt
      FROM operation o JOIN message m ON m.id = o.messageID;

    DROP TABLE outbox;
    DROP TABLE operation;
    ALTER TABLE operation2 RENAME TO operation;
    ALTER TABLE outbox2 RENAME TO outbox;
    CREATE INDEX operation_message ON operation (messageID, position);
    CREATE INDEX outbox_lane ON outbox (conversationID, position) WHERE parkedCode IS NULL AND isHeld = 0;
    -- Instead of a foreign key: its index would have an entry for each message too.
    CREATE UNIQUE INDEX outbox_operation ON outbox (operationID) WHERE operationID IS NOT NULL;
    CREATE TRIGGER operation_gone AFTER DELETE ON operation BEGIN
      DELETE FROM outbox WHERE operationID = OLD.id;
    END;

    -- The server's count of the changes to a message. What comes with a lower one is older.
    ALTER TABLE message ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    -- Deleted by its sender: the text is gone, the row keeps its place.
    ALTER TABLE message ADD COLUMN deletedAt INTEGER;

    -- How often it was stored, until that is counted with the others when it goes.
    ALTER TABLE draft ADD COLUMN saves INTEGER NOT NULL DEFAULT 0;

    -- The last few contents of a draft, until it is sent or discarded. An emptied draft is deleted, and these are not.
    CREATE TABLE draftVersion2 (
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      slot TEXT NOT NULL CHECK (slot IN ('new', 'edit')),
      revision INTEGER NOT NULL,
      content TEXT NOT NULL,
      cursorStart INTEGER,
      cursorEnd INTEGER,
      updatedAt INTEGER NOT NULL,
      PRIMARY KEY (conversationID, slot, revision),
      CHECK ((cursorStart IS NULL) = (cursorEnd IS NULL))
    ) STRICT;
    INSERT INTO draftVersion2 SELECT * FROM draftVersion;
    DROP TABLE draftVersion;
    ALTER TABLE draftVersion2 RENAME TO draftVersion;

    -- IDs that a conversation had before: what still comes under one of them belongs to it.
    CREATE TABLE conversationAlias (
      alias TEXT PRIMARY KEY NOT NULL CHECK (alias <> ''),
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversationAlias_conversation ON conversationAlias (conversationID);

    -- Not here yet: somebody else's, to be fetched from the server.
    ALTER TABLE attachment ADD COLUMN isHere INTEGER NOT NULL DEFAULT 1 CHECK (isHere IN (0, 1));
    """
}

extension Schema {
  /// The present schema in one step, for a new store: the result of all migrations in sequence. `SchemaTests` writes
  /// it.
  static let whole = #"""
    PRAGMA application_id = 1215261796;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    CREATE TABLE conversation (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      title TEXT,
      -- The owner gave the title: the first message does not replace it.
      titleIsCustom INTEGER NOT NULL DEFAULT 0 CHECK (titleIsCustom IN (0, 1)),
      -- A JSON array of account IDs, the owner's included.
      members TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(members)),
      -- The server has it: messages need not carry the members any more.
      isConfirmed INTEGER NOT NULL DEFAULT 0 CHECK (isConfirmed IN (0, 1)),
      -- The store-wide revision of the last message sent here. A draft with a lower one is stale.
      sentRevision INTEGER NOT NULL DEFAULT 0,
      lastSentMessageID TEXT,
      -- Why the server refuses the whole conversation. NULL while it does not.
      refusedCode TEXT,
      refusedExplanation TEXT,
      createdAt INTEGER NOT NULL,
      updatedAt INTEGER NOT NULL,
      -- The store-wide revision of the last change that the list is sorted by.
      listRevision INTEGER NOT NULL
    , isOnDevice INTEGER NOT NULL DEFAULT 0 CHECK (isOnDevice IN (0, 1)), readPlace INTEGER NOT NULL DEFAULT 0, readIsPending INTEGER NOT NULL DEFAULT 0 CHECK (readIsPending IN (0, 1)), emptiedPlace INTEGER NOT NULL DEFAULT 0, metadata BLOB) STRICT;
    CREATE INDEX conversation_list ON conversation (listRevision DESC);
    CREATE TABLE message (
      -- The local order of arrival.
      position INTEGER PRIMARY KEY NOT NULL,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      serverID TEXT,
      -- The server's order within the conversation. NULL until the server has confirmed.
      serverOrder INTEGER,
      -- Where the timeline shows it, before `position` decides: twice the server's order once confirmed; one
      -- more than the last confirmed message's for one that failed; 2^62 for one that is under way.
      place INTEGER NOT NULL,
      sender TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
      body TEXT NOT NULL,
      reasoning TEXT,
      replyTo TEXT,
      -- Mentions and spans, opaque to the engine.
      formatting BLOB,
      -- JSON arrays of references, as history.json has them.
      images TEXT CHECK (images IS NULL OR json_valid(images)),
      videos TEXT CHECK (videos IS NULL OR json_valid(videos)),
      readBy TEXT CHECK (readBy IS NULL OR json_valid(readBy)),
      -- A status that came with an import and means nothing to the engine.
      importedStatus TEXT,
      editedAt INTEGER,
      createdAt INTEGER NOT NULL
    , revision INTEGER NOT NULL DEFAULT 0, deletedAt INTEGER, metadata BLOB, request TEXT, isRecorded INTEGER NOT NULL DEFAULT 0 CHECK (isRecorded IN (0, 1)), editID TEXT) STRICT;
    CREATE INDEX message_timeline ON message (conversationID, place, position);
    CREATE TABLE reaction (
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      sender TEXT NOT NULL,
      value TEXT NOT NULL, serverID TEXT,
      PRIMARY KEY (messageID, sender, value)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE stream (
      messageID TEXT PRIMARY KEY NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      requestID TEXT,
      -- Set at launch: whoever was writing it is gone. Cleared by the next piece that follows.
      isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1)),
      startedAt INTEGER NOT NULL
    , writer TEXT, failedCode TEXT, failedExplanation TEXT, regenerates INTEGER NOT NULL DEFAULT 0 CHECK (regenerates IN (0, 1)), metadata BLOB) STRICT;
    CREATE TABLE chunk (
      messageID TEXT NOT NULL REFERENCES stream (messageID) ON UPDATE CASCADE ON DELETE CASCADE,
      firstSequence INTEGER NOT NULL,
      nextSequence INTEGER NOT NULL CHECK (nextSequence > firstSequence),
      text TEXT NOT NULL,
      reasoning TEXT NOT NULL,
      PRIMARY KEY (messageID, firstSequence)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE draft (
      id TEXT NOT NULL UNIQUE,
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- Starting an edit never touches the unsent new message.
      slot TEXT NOT NULL CHECK (slot IN ('new', 'edit')),
      editing TEXT CHECK ((editing IS NOT NULL) = (slot = 'edit')),
      -- Exactly as typed.
      content TEXT NOT NULL,
      -- UTF-16 code units of the content. NULL: no cursor to restore.
      cursorStart INTEGER,
      cursorEnd INTEGER,
      formatting BLOB,
      replyTo TEXT,
      -- The message that had been sent last when this was written.
      lastSentMessageID TEXT,
      -- The store-wide revision: which of two is newer is decided by it, and by no clock.
      revision INTEGER NOT NULL,
      -- The session of the app that wrote it.
      session TEXT NOT NULL,
      updatedAt INTEGER NOT NULL, saves INTEGER NOT NULL DEFAULT 0, isKept INTEGER NOT NULL DEFAULT 0 CHECK (isKept IN (0, 1)),
      PRIMARY KEY (conversationID, slot),
      CHECK ((cursorStart IS NULL) = (cursorEnd IS NULL))
    ) STRICT;
    CREATE TABLE attachment (
      checksum TEXT PRIMARY KEY NOT NULL,
      byteCount INTEGER NOT NULL CHECK (byteCount >= 0),
      -- How much of it the server has, and under which name.
      uploadedBytes INTEGER NOT NULL DEFAULT 0,
      serverID TEXT,
      createdAt INTEGER NOT NULL
    , isHere INTEGER NOT NULL DEFAULT 1 CHECK (isHere IN (0, 1)), wantedRevision INTEGER) STRICT;
    CREATE TABLE attachmentUse (
      checksum TEXT NOT NULL REFERENCES attachment (checksum),
      messageID TEXT REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      draftID TEXT REFERENCES draft (id) ON UPDATE CASCADE ON DELETE CASCADE,
      number INTEGER NOT NULL,
      name TEXT NOT NULL,
      mediaType TEXT NOT NULL, serverID TEXT,
      CHECK ((messageID IS NULL) <> (draftID IS NULL))
    ) STRICT;
    CREATE INDEX attachmentUse_checksum ON attachmentUse (checksum);
    CREATE INDEX attachmentUse_message ON attachmentUse (messageID, number) WHERE messageID IS NOT NULL;
    CREATE INDEX attachmentUse_draft ON attachmentUse (draftID, number) WHERE draftID IS NOT NULL;
    CREATE TABLE work (
      conversationID TEXT PRIMARY KEY NOT NULL
        REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      requestID TEXT NOT NULL,
      startedAt INTEGER NOT NULL
    , writer TEXT NOT NULL DEFAULT 'before', isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1))) STRICT;
    CREATE TABLE scene (
      id TEXT PRIMARY KEY NOT NULL,
      version INTEGER NOT NULL,
      state BLOB NOT NULL,
      updatedAt INTEGER NOT NULL
    , revision INTEGER NOT NULL DEFAULT 0, isConversationLost INTEGER NOT NULL DEFAULT 0
      CHECK (isConversationLost IN (0, 1))) STRICT;
    CREATE TABLE cursor (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE setting (
      name TEXT PRIMARY KEY NOT NULL,
      value ANY NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE metric (
      name TEXT NOT NULL,
      bucket INTEGER NOT NULL DEFAULT 0,
      count INTEGER NOT NULL,
      PRIMARY KEY (name, bucket)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE "operation" (
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
    , formatting BLOB, isWhole INTEGER NOT NULL DEFAULT 0 CHECK (isWhole IN (0, 1)), reasoning TEXT, metadata BLOB, images TEXT CHECK (images IS NULL OR json_valid(images)), videos TEXT CHECK (videos IS NULL OR json_valid(videos))) STRICT;
    CREATE TABLE "outbox" (
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
    CREATE INDEX operation_message ON operation (messageID, position);
    CREATE INDEX outbox_lane ON outbox (conversationID, position) WHERE parkedCode IS NULL AND isHeld = 0;
    CREATE UNIQUE INDEX outbox_operation ON outbox (operationID) WHERE operationID IS NOT NULL;
    CREATE TRIGGER operation_gone AFTER DELETE ON operation BEGIN
      DELETE FROM outbox WHERE operationID = OLD.id;
    END;
    CREATE TABLE "draftVersion" (
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
    CREATE TABLE deletion (
      conversationID TEXT PRIMARY KEY NOT NULL
        REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- Its last message then. What came later is new.
      position INTEGER NOT NULL,
      -- It is being erased, and nothing brings it back.
      isFinal INTEGER NOT NULL DEFAULT 0 CHECK (isFinal IN (0, 1))
    , emptied TEXT) STRICT, WITHOUT ROWID;
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
    CREATE TABLE horizon (
      conversationID TEXT PRIMARY KEY NOT NULL CHECK (conversationID <> ''),
      -- The server's order of the last of them. 0: it had none.
      serverOrder INTEGER NOT NULL,
      -- They made room, and those behind them are here: the timeline says so.
      isEvicted INTEGER NOT NULL CHECK (isEvicted IN (0, 1)),
      -- What the server knows of the conversation, for when somebody writes in it again.
      members TEXT NOT NULL CHECK (json_valid(members)),
      isConfirmed INTEGER NOT NULL CHECK (isConfirmed IN (0, 1))
    , deletedOrder INTEGER) STRICT, WITHOUT ROWID;
    CREATE TABLE forgottenMessage (
      id TEXT PRIMARY KEY NOT NULL,
      conversationID TEXT NOT NULL
    , serverID TEXT) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE messageText USING fts5 (words, tokenize = 'ascii');
    CREATE TABLE unindexed (position INTEGER PRIMARY KEY NOT NULL) STRICT;
    CREATE TABLE importedItem (item TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE forgottenStream (
      position INTEGER PRIMARY KEY NOT NULL,
      messageID TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE INDEX conversation_onDevice ON conversation (id) WHERE isOnDevice;
    CREATE INDEX conversation_readIsPending ON conversation (id) WHERE readIsPending;
    CREATE TABLE readMark (
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      reader TEXT NOT NULL,
      place INTEGER NOT NULL,
      PRIMARY KEY (conversationID, reader)
    ) STRICT, WITHOUT ROWID;
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
    CREATE INDEX message_isRecorded ON message (conversationID) WHERE isRecorded;
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
    CREATE TABLE answerCost (
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      member TEXT NOT NULL,
      requests INTEGER NOT NULL,
      inputTokens INTEGER NOT NULL,
      outputTokens INTEGER NOT NULL,
      PRIMARY KEY (conversationID, member)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE conversationName (
      name TEXT PRIMARY KEY NOT NULL CHECK (name <> ''),
      conversationID TEXT NOT NULL CHECK (conversationID <> ''),
      -- The name by which app and server call the conversation now. A conversation without such a row has its first name.
      isPresent INTEGER NOT NULL DEFAULT 0 CHECK (isPresent IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX conversationName_present ON conversationName (conversationID) WHERE isPresent;
    CREATE INDEX conversationName_conversation ON conversationName (conversationID);
    CREATE TABLE joinedConversation (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      conversationID TEXT NOT NULL CHECK (conversationID <> id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX joinedConversation_conversation ON joinedConversation (conversationID);
    CREATE INDEX message_serverID ON message (serverID) WHERE serverID IS NOT NULL;
    CREATE INDEX forgottenMessage_serverID ON forgottenMessage (serverID) WHERE serverID IS NOT NULL;
    CREATE INDEX reaction_serverID ON reaction (serverID) WHERE serverID IS NOT NULL;
    CREATE INDEX message_editID ON message (editID) WHERE editID > '';
    CREATE TABLE reactionTurn (
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      sender TEXT NOT NULL,
      value TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      serverID TEXT NOT NULL,
      PRIMARY KEY (messageID, sender, value)
    ) STRICT, WITHOUT ROWID;
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
    CREATE TABLE history (
      conversationID TEXT PRIMARY KEY NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- The transport's place before which older messages are asked for. NULL: it has given none, or messages have made
      -- room since.
      place TEXT,
      -- The conversation begins with what is here.
      isWhole INTEGER NOT NULL CHECK (isWhole IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER message_text_gone AFTER DELETE ON message
    WHEN OLD.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo') BEGIN
      DELETE FROM messageText WHERE rowid = OLD.position;
      DELETE FROM unindexed WHERE position = OLD.position;
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests' AND length(OLD.body) > 0;
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
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests' AND length(OLD.body) > 0;
      UPDATE setting SET value = min(value, (SELECT coalesce(max(position), 0) FROM message))
        WHERE name = 'indexedUpTo';
    END;
    INSERT INTO grdb_migrations VALUES ('1');
    INSERT INTO grdb_migrations VALUES ('10');
    INSERT INTO grdb_migrations VALUES ('11');
    INSERT INTO grdb_migrations VALUES ('12');
    INSERT INTO grdb_migrations VALUES ('13');
    INSERT INTO grdb_migrations VALUES ('14');
    INSERT INTO grdb_migrations VALUES ('15');
    INSERT INTO grdb_migrations VALUES ('2');
    INSERT INTO grdb_migrations VALUES ('3');
    INSERT INTO grdb_migrations VALUES ('4');
    INSERT INTO grdb_migrations VALUES ('5');
    INSERT INTO grdb_migrations VALUES ('6');
    INSERT INTO grdb_migrations VALUES ('7');
    INSERT INTO grdb_migrations VALUES ('8');
    INSERT INTO grdb_migrations VALUES ('9');
    INSERT INTO setting VALUES ('clearings', 0);
    INSERT INTO setting VALUES ('indexRests', 0);
    INSERT INTO setting VALUES ('indexedUpTo', 0);
    INSERT INTO setting VALUES ('remnants', 0);
    INSERT INTO setting VALUES ('revision', 0);
    """#
}

import HoldfastCore

extension Schema {
  /// The first schema.
  static let version1 = """
    PRAGMA application_id = 1215261796;

    -- Times are microseconds since 1970. They are shown and order nothing; what orders is an integer that
    -- only grows. Absence is NULL, never an empty string.

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
    ) STRICT;
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
    ) STRICT;
    CREATE INDEX message_timeline ON message (conversationID, place, position);

    -- A row here means: not yet confirmed by the server. What is read from it is the delivery state.
    CREATE TABLE outbox (
      -- First in, first out within a conversation.
      position INTEGER PRIMARY KEY NOT NULL,
      messageID TEXT NOT NULL UNIQUE REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      conversationID TEXT NOT NULL REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      -- Faults that were this message's own.
      attempts INTEGER NOT NULL DEFAULT 0,
      -- How often it left this device and nothing was heard of it since. Counted before its bytes leave.
      unanswered INTEGER NOT NULL DEFAULT 0,
      -- It has left this device, and the server has not said no since: the server may have it.
      mayHaveArrived INTEGER NOT NULL DEFAULT 0 CHECK (mayHaveArrived IN (0, 1)),
      -- Why it stopped: a code, and a sentence for the user. NULL while it is queued.
      parkedCode TEXT,
      parkedExplanation TEXT,
      -- Held until the user has answered, not flushed.
      isHeld INTEGER NOT NULL DEFAULT 0 CHECK (isHeld IN (0, 1)),
      enqueuedAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX outbox_lane ON outbox (conversationID, position) WHERE parkedCode IS NULL AND isHeld = 0;

    -- Edits, deletions and reactions that wait for their message and go out after it.
    CREATE TABLE operation (
      position INTEGER PRIMARY KEY NOT NULL,
      id TEXT NOT NULL UNIQUE,
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('edit', 'delete', 'react', 'unreact')),
      payload TEXT,
      attempts INTEGER NOT NULL DEFAULT 0,
      parkedCode TEXT,
      parkedExplanation TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX operation_message ON operation (messageID, position);

    CREATE TABLE reaction (
      messageID TEXT NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      sender TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (messageID, sender, value)
    ) STRICT, WITHOUT ROWID;

    -- A message whose tokens are still arriving, or stopped arriving.
    CREATE TABLE stream (
      messageID TEXT PRIMARY KEY NOT NULL REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      requestID TEXT,
      -- Set at launch: whoever was writing it is gone. Cleared by the next piece that follows.
      isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1)),
      startedAt INTEGER NOT NULL
    ) STRICT;

    -- Coalesced pieces, append-only, idempotent on the number of the first piece in each.
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
      updatedAt INTEGER NOT NULL,
      PRIMARY KEY (conversationID, slot),
      CHECK ((cursorStart IS NULL) = (cursorEnd IS NULL))
    ) STRICT;

    -- The last few contents of a draft, until it is sent or discarded.
    CREATE TABLE draftVersion (
      conversationID TEXT NOT NULL,
      slot TEXT NOT NULL,
      revision INTEGER NOT NULL,
      content TEXT NOT NULL,
      cursorStart INTEGER,
      cursorEnd INTEGER,
      updatedAt INTEGER NOT NULL,
      PRIMARY KEY (conversationID, slot, revision),
      FOREIGN KEY (conversationID, slot) REFERENCES draft (conversationID, slot)
        ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT;

    -- A file beside the database, named by its checksum.
    CREATE TABLE attachment (
      checksum TEXT PRIMARY KEY NOT NULL,
      byteCount INTEGER NOT NULL CHECK (byteCount >= 0),
      -- How much of it the server has, and under which name.
      uploadedBytes INTEGER NOT NULL DEFAULT 0,
      serverID TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT;

    -- Who refers to an attachment: it is swept when nobody does.
    CREATE TABLE attachmentUse (
      checksum TEXT NOT NULL REFERENCES attachment (checksum),
      messageID TEXT REFERENCES message (id) ON UPDATE CASCADE ON DELETE CASCADE,
      draftID TEXT REFERENCES draft (id) ON UPDATE CASCADE ON DELETE CASCADE,
      number INTEGER NOT NULL,
      name TEXT NOT NULL,
      mediaType TEXT NOT NULL,
      CHECK ((messageID IS NULL) <> (draftID IS NULL))
    ) STRICT;
    CREATE INDEX attachmentUse_checksum ON attachmentUse (checksum);
    CREATE INDEX attachmentUse_message ON attachmentUse (messageID, number) WHERE messageID IS NOT NULL;
    CREATE INDEX attachmentUse_draft ON attachmentUse (draftID, number) WHERE draftID IS NOT NULL;

    -- A request whose outcome is not known yet.
    CREATE TABLE work (
      conversationID TEXT PRIMARY KEY NOT NULL
        REFERENCES conversation (id) ON UPDATE CASCADE ON DELETE CASCADE,
      requestID TEXT NOT NULL,
      startedAt INTEGER NOT NULL
    ) STRICT;

    -- One window's place, opaque to the engine.
    CREATE TABLE scene (
      id TEXT PRIMARY KEY NOT NULL,
      version INTEGER NOT NULL,
      state BLOB NOT NULL,
      updatedAt INTEGER NOT NULL
    ) STRICT;

    -- How far this device has followed the server.
    CREATE TABLE cursor (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The account that the store belongs to, the active conversation, the store-wide revision.
    CREATE TABLE setting (
      name TEXT PRIMARY KEY NOT NULL,
      value ANY NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO setting (name, value) VALUES ('revision', 0);

    -- Counts, and counts by bucket. Never contents.
    CREATE TABLE metric (
      name TEXT NOT NULL,
      bucket INTEGER NOT NULL DEFAULT 0,
      count INTEGER NOT NULL,
      PRIMARY KEY (name, bucket)
    ) STRICT, WITHOUT ROWID;
    """
}

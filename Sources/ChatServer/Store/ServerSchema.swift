/// The tables of the server's database. A released version is never changed. A schema change is a new version, with
/// the statements that migrate the previous version.
enum ServerSchema {
  /// The statements of each version, from an empty file to the present version.
  static let versions = [
    version1, version2, version3, version4, version5, version6, version7, version8, version9,
    version10,
  ]

  static var version: Int { versions.count }

  /// The first version that has the words of messages.
  static let firstWithWords = 9

  /// Marks the file as the server's (`HfRl`), so that another application's database is refused untouched.
  static let applicationID = 0x4866_526C

  private static let version1 = """
    CREATE TABLE account (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 0),
      -- SHA-256 of the token. The token itself is nowhere in this file.
      tokenDigest BLOB NOT NULL UNIQUE CHECK (length(tokenDigest) = 32)
    ) STRICT;

    CREATE TABLE conversation (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 0),
      title TEXT,
      -- The order of its last message; 0 while there is none.
      lastOrder INTEGER NOT NULL DEFAULT 0 CHECK (lastOrder >= 0)
    ) STRICT;

    -- Members are named when the conversation is created, and stay.
    CREATE TABLE member (
      conversation TEXT NOT NULL REFERENCES conversation (id),
      account TEXT NOT NULL REFERENCES account (id),
      -- The place in the list of members, as the creator gave it.
      place INTEGER NOT NULL CHECK (place >= 0),
      PRIMARY KEY (conversation, account),
      UNIQUE (conversation, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE message (
      -- Made by the sender's device, and the idempotency key of every attempt, for ever.
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 0),
      conversation TEXT NOT NULL REFERENCES conversation (id),
      sender TEXT NOT NULL REFERENCES account (id),
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
      body TEXT NOT NULL,
      reasoning TEXT,
      -- The number within the conversation. Clients sort by it.
      "order" INTEGER NOT NULL CHECK ("order" >= 1),
      -- Milliseconds since 1970 on the server's clock. Shown, and orders nothing.
      at INTEGER NOT NULL,
      UNIQUE (conversation, "order"),
      -- Only a member can be a sender.
      FOREIGN KEY (conversation, sender) REFERENCES member (conversation, account)
    ) STRICT;

    -- The one log that every account reads its part of.
    CREATE TABLE event (
      -- AUTOINCREMENT: a cursor is never given twice, even if the last event were deleted.
      cursor INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation TEXT NOT NULL REFERENCES conversation (id),
      -- NULL: the conversation was created.
      message TEXT UNIQUE REFERENCES message (id)
    ) STRICT;
    """

  /// Adds edits, deletions and reactions. Only a message's present text is kept.
  private static let version2 = """
    -- How many changes were accepted.
    ALTER TABLE message ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
    ALTER TABLE message ADD COLUMN editedAt INTEGER;
    -- The text is gone, the row keeps its number.
    ALTER TABLE message ADD COLUMN deletedAt INTEGER;

    CREATE TABLE reaction (
      message TEXT NOT NULL REFERENCES message (id),
      value TEXT NOT NULL CHECK (length(value) > 0),
      sender TEXT NOT NULL REFERENCES account (id),
      PRIMARY KEY (message, value, sender)
    ) STRICT, WITHOUT ROWID;

    -- The accepted operations, for ever: the same ID again is answered with the first receipt.
    CREATE TABLE operation (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 0),
      sender TEXT NOT NULL REFERENCES account (id),
      message TEXT NOT NULL REFERENCES message (id),
      -- The message's, once it was carried out.
      revision INTEGER NOT NULL CHECK (revision >= 0),
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- One event for each change of a message, besides the one that brought it.
    CREATE TABLE event2 (
      -- AUTOINCREMENT: a cursor is never given twice, even if the last event were deleted.
      cursor INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation TEXT NOT NULL REFERENCES conversation (id),
      -- NULL: the conversation was created.
      message TEXT REFERENCES message (id)
    ) STRICT;
    INSERT INTO event2 SELECT cursor, conversation, message FROM event;
    DROP TABLE event;
    ALTER TABLE event2 RENAME TO event;
    """

  /// Adds attachments, replies and formatting.
  private static let version3 = """
    -- What accounts have brought, or begun to.
    CREATE TABLE upload (
      -- The order in which they were begun: the oldest goes first when there is no more room.
      number INTEGER PRIMARY KEY NOT NULL,
      account TEXT NOT NULL REFERENCES account (id),
      checksum TEXT NOT NULL CHECK (length(checksum) = 64),
      byteCount INTEGER NOT NULL CHECK (byteCount >= 0),
      -- Verified, and on the disk under its checksum.
      isWhole INTEGER NOT NULL DEFAULT 0 CHECK (isWhole IN (0, 1)),
      -- A message of this account has it.
      isSent INTEGER NOT NULL DEFAULT 0 CHECK (isSent IN (0, 1)),
      UNIQUE (account, checksum)
    ) STRICT;

    CREATE TABLE messageAttachment (
      message TEXT NOT NULL REFERENCES message (id),
      number INTEGER NOT NULL CHECK (number >= 0),
      checksum TEXT NOT NULL CHECK (length(checksum) = 64),
      name TEXT NOT NULL,
      mediaType TEXT NOT NULL,
      byteCount INTEGER NOT NULL CHECK (byteCount >= 0),
      PRIMARY KEY (message, number)
    ) STRICT, WITHOUT ROWID;
    -- Who may fetch a file, and whether it is still needed.
    CREATE INDEX messageAttachment_checksum ON messageAttachment (checksum);

    -- What it answers, as its sender says; not every one of them has to be there.
    ALTER TABLE message ADD COLUMN replyTo TEXT;
    ALTER TABLE message ADD COLUMN formatting BLOB;
    """

  /// Adds the metadata of messages, and assistants.
  private static let version4 = """
    -- The app's own data about the message, as its sender gave it.
    ALTER TABLE message ADD COLUMN metadata BLOB;
    -- The name of the assistant in whose name the sender wrote. NULL: the sender wrote itself.
    ALTER TABLE message ADD COLUMN assistant TEXT;
    """

  /// Adds read marks, and references to images and videos.
  private static let version5 = """
    -- JSON arrays of references, as the sender gave them. NULL: none.
    ALTER TABLE message ADD COLUMN images TEXT;
    ALTER TABLE message ADD COLUMN videos TEXT;

    -- The newest message that each member has read.
    CREATE TABLE readMark (
      conversation TEXT NOT NULL,
      account TEXT NOT NULL,
      message TEXT NOT NULL REFERENCES message (id),
      "order" INTEGER NOT NULL CHECK ("order" >= 1),
      PRIMARY KEY (conversation, account),
      FOREIGN KEY (conversation, account) REFERENCES member (conversation, account)
    ) STRICT, WITHOUT ROWID;

    -- The member whose read mark has moved. NULL: the event is about a message, or about the conversation.
    ALTER TABLE event ADD COLUMN reader TEXT REFERENCES account (id);
    -- A member's newest mark is in the log once.
    CREATE UNIQUE INDEX event_reader ON event (conversation, reader) WHERE reader IS NOT NULL;
    """

  /// Adds the requests that messages answer.
  private static let version6 = """
    -- The request that the message answers, as its sender names it. It outlives the text of a deleted message. NULL: none.
    ALTER TABLE message ADD COLUMN request TEXT;
    -- Whether a request is answered.
    CREATE INDEX message_request ON message (conversation, request) WHERE request IS NOT NULL;
    """

  /// Adds earlier IDs, removal and refusal of conversations.
  private static let version7 = """
    -- The IDs that conversations had before. What comes under one of them belongs to the conversation.
    CREATE TABLE earlierID (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 0),
      conversation TEXT NOT NULL REFERENCES conversation (id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX earlierID_conversation ON earlierID (conversation);

    -- It was deleted for everyone: its messages are gone, and nobody writes in it again.
    ALTER TABLE conversation ADD COLUMN isRemoved INTEGER NOT NULL DEFAULT 0 CHECK (isRemoved IN (0, 1));
    -- Why nobody may write in it, as a sentence for the user. NULL: members may.
    ALTER TABLE conversation ADD COLUMN refusal TEXT;
    """

  /// Adds indexes from an account to its conversations, and from a conversation to its events.
  private static let version8 = """
    -- A new device gets the newest messages of each of its account's conversations.
    CREATE INDEX member_account ON member (account);
    CREATE INDEX event_conversation ON event (conversation, cursor);
    """

  /// Adds the words of messages, for searches. ``SearchIndex`` fills them in.
  private static let version9 = """
    -- The order in which the messages came.
    CREATE TABLE searched (
      number INTEGER PRIMARY KEY NOT NULL,
      message TEXT NOT NULL UNIQUE REFERENCES message (id)
    ) STRICT;
    CREATE VIRTUAL TABLE messageWords USING fts5 (words, tokenize = 'ascii');
    """

  /// Counts what each account stores.
  private static let version10 = """
    -- The bytes of its messages and uploads, and a flat number for each row of any table.
    ALTER TABLE account ADD COLUMN storedBytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE message ADD COLUMN bytes INTEGER NOT NULL GENERATED ALWAYS AS (
      1000 + length(CAST(body AS BLOB)) + ifnull(length(CAST(reasoning AS BLOB)), 0) + ifnull(length(formatting), 0)
        + ifnull(length(metadata), 0) + ifnull(length(CAST(images AS BLOB)), 0) + ifnull(length(CAST(videos AS BLOB)), 0)
    ) VIRTUAL;

    CREATE TRIGGER message_insert AFTER INSERT ON message BEGIN
      UPDATE account SET storedBytes = storedBytes + NEW.bytes WHERE id = NEW.sender;
    END;
    CREATE TRIGGER message_update AFTER UPDATE OF body, reasoning, formatting, metadata, images, videos ON message BEGIN
      UPDATE account SET storedBytes = storedBytes + NEW.bytes - OLD.bytes WHERE id = NEW.sender;
    END;
    CREATE TRIGGER message_delete AFTER DELETE ON message BEGIN
      UPDATE account SET storedBytes = storedBytes - OLD.bytes WHERE id = OLD.sender;
    END;
    CREATE TRIGGER operation_insert AFTER INSERT ON operation BEGIN
      UPDATE account SET storedBytes = storedBytes + 500 WHERE id = NEW.sender;
    END;
    CREATE TRIGGER operation_delete AFTER DELETE ON operation BEGIN
      UPDATE account SET storedBytes = storedBytes - 500 WHERE id = OLD.sender;
    END;
    CREATE TRIGGER upload_insert AFTER INSERT ON upload BEGIN
      UPDATE account SET storedBytes = storedBytes + 500 + NEW.byteCount WHERE id = NEW.account;
    END;
    CREATE TRIGGER upload_delete AFTER DELETE ON upload BEGIN
      UPDATE account SET storedBytes = storedBytes - 500 - OLD.byteCount WHERE id = OLD.account;
    END;
    -- The first member is the one who has made the conversation.
    CREATE TRIGGER member_insert AFTER INSERT ON member BEGIN
      UPDATE account SET storedBytes = storedBytes + 700
        WHERE id = (SELECT account FROM member WHERE conversation = NEW.conversation AND place = 0);
    END;

    UPDATE account SET storedBytes = stored.bytes FROM (
      SELECT account, sum(bytes) AS bytes FROM (
        SELECT sender AS account, bytes FROM message
        UNION ALL SELECT sender, 500 FROM operation
        UNION ALL SELECT account, 500 + byteCount FROM upload
        UNION ALL SELECT made.account, 700 FROM member AS made JOIN member USING (conversation) WHERE made.place = 0
      ) GROUP BY account
    ) AS stored WHERE stored.account = account.id;
    """
}

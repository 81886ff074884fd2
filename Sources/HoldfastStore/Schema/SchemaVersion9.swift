import HoldfastCore

extension Schema {
  static let version9 = """
    -- The request that the message answers, as its author names it. NULL: none.
    ALTER TABLE message ADD COLUMN request TEXT;

    -- The conversation whose messages these were, until it was emptied. NULL: the conversation itself is deleted.
    ALTER TABLE deletion ADD COLUMN emptied TEXT;

    -- The place of the last message that was emptied. A message that the server does not number is placed behind it.
    ALTER TABLE conversation ADD COLUMN emptiedPlace INTEGER NOT NULL DEFAULT 0;

    -- The finished message was recorded or imported here, and no server has sent it: only this device has it.
    ALTER TABLE message ADD COLUMN isRecorded INTEGER NOT NULL DEFAULT 0 CHECK (isRecorded IN (0, 1));
    CREATE INDEX message_isRecorded ON message (conversationID) WHERE isRecorded;
    -- Earlier versions did not note it. A message without the server's order counts as recorded.
    UPDATE message SET isRecorded = 1
    WHERE serverOrder IS NULL AND deletedAt IS NULL
      AND id NOT IN (SELECT messageID FROM stream)
      AND id NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
      AND id NOT IN (SELECT messageID FROM outboxAside WHERE messageID IS NOT NULL);

    -- The conversation that the window showed was erased: the window says so when it opens next.
    ALTER TABLE scene ADD COLUMN isConversationLost INTEGER NOT NULL DEFAULT 0
      CHECK (isConversationLost IN (0, 1));

    -- Replies that were cut off before their first word stood as empty rows.
    UPDATE stream SET failedCode = 'replyFailed', failedExplanation = 'The app ended before the reply began.'
    WHERE isInterrupted AND writer IS NOT NULL AND failedCode IS NULL AND NOT EXISTS (
      SELECT 1 FROM chunk WHERE chunk.messageID = stream.messageID AND (text <> '' OR reasoning <> ''));

    -- The user was asked about the old draft and keeps it, until it changes.
    ALTER TABLE draft ADD COLUMN isKept INTEGER NOT NULL DEFAULT 0 CHECK (isKept IN (0, 1));
    """
}

#include "raw_statements.h"

#include <stddef.h>

// Each statement is the engine's own, but for white space; `holdfast-bench` compares them with what the
// engine runs before it measures anything, and `make test` does so with `holdfast-bench statements`.
const char *const raw_sql[STATEMENT_COUNT] = {
    [BEGIN_WRITE] = "BEGIN IMMEDIATE TRANSACTION",
    [BEGIN_READ] = "BEGIN DEFERRED TRANSACTION",
    [COMMIT] = "COMMIT TRANSACTION",
    [FIND_CONVERSATION] = "SELECT 1 FROM conversation WHERE id = ?",
    [ON_DEVICE] = "SELECT 1 FROM conversation WHERE id = ? AND isOnDevice",
    [OUTBOX_SPAN] = "SELECT (SELECT max(position) FROM outbox) - (SELECT min(position) FROM outbox) + 1",
    [INSERT_MESSAGE] = "INSERT INTO message "
                       "(id, conversationID, serverOrder, place, sender, role, createdAt, isRecorded, body, reasoning, "
                       "replyTo, formatting, metadata, images, videos, request) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_OUTBOX] = "INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
    [NEXT_REVISION] = "UPDATE setting SET value = value + 1 WHERE name = ? RETURNING value",
    [NOTE_SEND] = "UPDATE conversation SET listRevision = ?1, updatedAt = ?2, "
                  "sentRevision = CASE WHEN ?3 THEN ?1 ELSE sentRevision END, lastSentMessageID = ?4, "
                  "title = CASE WHEN title IS NULL AND (json_array_length(members) < 2 OR members LIKE '%assistant%' AND "
                  "(SELECT count(*) FROM json_each(members) WHERE value NOT LIKE '_%/assistant/_%') < 2) "
                  "THEN ?5 ELSE title END "
                  "WHERE id = ?6",
    [UNUSED_FILES] = "SELECT 1 FROM draft d JOIN attachmentUse u ON u.draftID = d.id "
                     "WHERE d.conversationID = ? AND d.slot = ? AND NOT EXISTS ( "
                     "SELECT 1 FROM attachmentUse other "
                     "WHERE other.checksum = u.checksum AND other.draftID IS NOT d.id)",
    [DELETE_DRAFT] = "DELETE FROM draft WHERE conversationID = ? AND slot = ? RETURNING saves",
    [DELETE_VERSIONS] = "DELETE FROM draftVersion WHERE conversationID = ? AND slot = ?",
    [UPSERT_DRAFT] =
        "INSERT INTO draft (id, conversationID, slot, editing, content, cursorStart, cursorEnd, formatting, replyTo, "
        "lastSentMessageID, revision, session, updatedAt, saves) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?, 1) "
        "ON CONFLICT (conversationID, slot) DO UPDATE SET editing = excluded.editing, content = excluded.content, "
        "cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd, formatting = excluded.formatting, "
        "replyTo = excluded.replyTo, lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision, "
        "session = excluded.session, updatedAt = excluded.updatedAt, saves = saves + 1, "
        "isKept = isKept AND content IS excluded.content",
    [CONVERSATION] = "SELECT c.title, c.members, c.refusedCode, c.refusedExplanation, w.requestID, w.isInterrupted, "
        "w.startedAt, c.isOnDevice, EXISTS (SELECT 1 FROM deletion d WHERE d.conversationID = c.id), "
        "EXISTS (SELECT 1 FROM horizon h WHERE h.conversationID = c.id AND h.isEvicted) "
        "FROM conversation c LEFT JOIN work w ON w.conversationID = c.id WHERE c.id = ?",
    [TIMELINE] =
        "SELECT m.body, m.reasoning, m.replyTo, m.formatting, m.metadata, m.images, m.videos, m.request, "
        "m.id, m.sender, m.role, m.serverOrder, m.place, m.position, m.createdAt, "
        "m.editedAt, m.deletedAt IS NOT NULL, m.revision "
        "FROM message m WHERE m.conversationID = ? "
        "ORDER BY m.place DESC, m.position DESC LIMIT ?",
    [TIMELINE_WITH_UNSENT] =
        "SELECT m.body, m.reasoning, m.replyTo, m.formatting, m.metadata, m.images, m.videos, m.request, "
        "m.id, m.sender, m.role, m.serverOrder, m.place, m.position, m.createdAt, "
        "m.editedAt, m.deletedAt IS NOT NULL, m.revision, "
        "o.position, o.attempts, coalesce(o.parkedCode, s.failedCode), "
        "coalesce(o.parkedExplanation, s.failedExplanation), o.isHeld, s.messageID IS NOT NULL, s.isInterrupted "
        "FROM message m "
        "LEFT JOIN outbox o ON o.messageID = m.id "
        "LEFT JOIN stream s ON s.messageID = m.id "
        "WHERE m.conversationID = ? "
        "ORDER BY m.place DESC, m.position DESC LIMIT ?",
    [MESSAGE_WITH_UNSENT] =
        "SELECT m.body, m.reasoning, m.replyTo, m.formatting, m.metadata, m.images, m.videos, m.request, "
        "m.id, m.sender, m.role, m.serverOrder, m.place, m.position, m.createdAt, "
        "m.editedAt, m.deletedAt IS NOT NULL, m.revision, "
        "o.position, o.attempts, coalesce(o.parkedCode, s.failedCode), "
        "coalesce(o.parkedExplanation, s.failedExplanation), o.isHeld, s.messageID IS NOT NULL, s.isInterrupted "
        "FROM message m "
        "LEFT JOIN outbox o ON o.messageID = m.id "
        "LEFT JOIN stream s ON s.messageID = m.id "
        "WHERE m.id = ? AND m.conversationID = ?",
    [UNSETTLED] = "SELECT EXISTS (SELECT 1 FROM outbox), EXISTS (SELECT 1 FROM stream), EXISTS (SELECT 1 FROM operation) ",
    [ANY_ATTACHMENT] = "SELECT 1 FROM attachmentUse WHERE messageID IS NOT NULL LIMIT 1",
    [READ_MARKS] = "SELECT reader, place FROM readMark WHERE conversationID = ? ORDER BY reader",
    [SETTING] = "SELECT value FROM setting WHERE name = ?",
    [DEVICE_CONVERSATIONS] = "SELECT id FROM conversation WHERE isOnDevice",
    [FORGOTTEN_MESSAGE] = "SELECT 1 FROM forgottenMessage WHERE id = ?",
    [KNOWN_MESSAGE] = "SELECT m.conversationID, m.sender, o.messageID IS NOT NULL, s.messageID IS NOT NULL AND NOT s.regenerates, "
                      "coalesce(o.mayHaveArrived, 0), m.revision, m.serverOrder IS NOT NULL "
                      "FROM message m "
                      "LEFT JOIN outbox o ON o.messageID = m.id "
                      "LEFT JOIN stream s ON s.messageID = m.id "
                      "WHERE m.id = ?",
    [CREATE_CONVERSATION] =
        "INSERT INTO conversation (id, title, titleIsCustom, members, createdAt, updatedAt, listRevision) "
        "VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
    [MARK_CONFIRMED] = "UPDATE conversation SET isConfirmed = 1 WHERE id = ? AND isConfirmed = 0",
    [TOUCH] = "UPDATE conversation SET listRevision = ?, updatedAt = ? WHERE id = ?",
    [SET_CURSOR] = "INSERT INTO cursor (name, value) VALUES (?, ?) "
                   "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [DELETE_OUTBOX] = "DELETE FROM outbox WHERE messageID = ?",
    [CONFIRM_MESSAGE] = "UPDATE message SET serverOrder = ?, place = ?, createdAt = ? WHERE id = ?",
    [IS_CONVERSATION_HERE] = "SELECT 1 FROM conversation WHERE id = ?",
    [INSERT_STREAM] = "INSERT INTO stream (messageID, startedAt) VALUES (?, ?)",
    [INSERT_CHUNK] = "INSERT INTO chunk (messageID, firstSequence, nextSequence, text, reasoning) "
                     "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    [RESUME_STREAM] = "UPDATE stream SET isInterrupted = 0 WHERE messageID = ? AND isInterrupted",
    [STREAM_WRITER] = "SELECT writer FROM stream WHERE messageID = ?",
    [FORGOTTEN_STREAM] = "SELECT 1 FROM forgottenStream WHERE messageID = ?",
    [DELETE_STREAM] = "DELETE FROM stream WHERE messageID = ?",
    [CONFIRM_STREAM] = "UPDATE message SET body = ?, reasoning = ?, replyTo = ?, formatting = ?, metadata = ?, "
                       "images = ?, videos = ?, request = ?, serverOrder = ?, place = ?, createdAt = ? "
                       "WHERE id = ?",
    [COUNT_METRIC] = "INSERT INTO metric (name, bucket, count) VALUES (?, ?, ?) "
                     "ON CONFLICT DO UPDATE SET count = count + excluded.count",
    [UNINDEXED] =
        "SELECT m.position, m.id, m.conversationID, m.sender, m.body, m.createdAt, c.title, c.members "
        "FROM ( "
        "SELECT position FROM ( "
        "SELECT position FROM message WHERE position > ?3 ORDER BY position DESC LIMIT ?2) "
        "UNION SELECT position FROM unindexed "
        "UNION SELECT position FROM ( "
        "SELECT position FROM message WHERE position <= ?4 ORDER BY position DESC LIMIT ?2)) AS t "
        "JOIN message m ON m.position = t.position JOIN conversation c ON c.id = m.conversationID "
        "WHERE (?1 IS NULL OR m.conversationID = ?1) "
        "AND m.conversationID NOT IN (SELECT conversationID FROM deletion) "
        "ORDER BY m.position DESC LIMIT ?2",
    [MATCHES] =
        "SELECT m.position, m.id, m.conversationID, m.sender, m.body, m.createdAt, c.title, c.members "
        "FROM ( "
        "SELECT messageText.rowid AS position, bm25(messageText) AS score "
        "FROM messageText CROSS JOIN message f ON f.position = messageText.rowid "
        "WHERE messageText MATCH ?1 AND (?2 IS NULL OR f.conversationID = ?2) "
        "AND f.conversationID NOT IN (SELECT conversationID FROM deletion) "
        "ORDER BY messageText.rowid DESC LIMIT ?3) AS t "
        "JOIN message m ON m.position = t.position JOIN conversation c ON c.id = m.conversationID "
        "ORDER BY t.score, t.position DESC LIMIT ?4",
    [NEWEST] =
        "SELECT m.position, m.id, m.conversationID, m.sender, m.body, m.createdAt, c.title, c.members "
        "FROM message m CROSS JOIN conversation c ON c.id = m.conversationID "
        "WHERE m.conversationID NOT IN (SELECT conversationID FROM deletion) "
        "ORDER BY m.position DESC LIMIT ?",
    [NEWEST_POSITION] = "SELECT max(position) FROM message",
    [IMPORT_PLACE] = "SELECT conversationID, place FROM message WHERE id = ?",
    [IMPORT_MESSAGE] =
        "INSERT INTO message (id, conversationID, serverOrder, place, sender, role, readBy, importedStatus, editedAt, "
        "createdAt, revision, deletedAt, isRecorded, body, reasoning, replyTo, formatting, metadata, images, videos, "
        "request) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [EXPORT] =
        "SELECT m.body, m.reasoning, m.replyTo, m.formatting, m.metadata, m.images, m.videos, m.request, m.id, m.role, "
        "m.importedStatus, m.createdAt, m.sender, m.serverOrder, m.readBy, m.editedAt, m.deletedAt, m.revision, "
        "s.messageID IS NOT NULL, o.messageID IS NOT NULL, o.parkedCode IS NOT NULL "
        "FROM message m "
        "LEFT JOIN stream s ON s.messageID = m.id "
        "LEFT JOIN outbox o ON o.messageID = m.id "
        "WHERE m.conversationID = ? ORDER BY m.place, m.position",
};

const char *const raw_opening_sql[] = {
    "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY type, name",
    "SELECT identifier FROM grdb_migrations",
    "SELECT * FROM sqlite_master LIMIT 1",
    // GRDB makes the journal this way, so that its readers find one.
    "CREATE TABLE grdb_issue_102 (id INTEGER PRIMARY KEY);",
    "DROP TABLE grdb_issue_102;",
    "SELECT identifier FROM grdb_migrations",
    "SELECT value FROM setting WHERE name = ?",
    "SELECT * FROM sqlite_master LIMIT 1",
    "SELECT name, conversationID, isPresent FROM conversationName",
    "SELECT id, conversationID FROM joinedConversation",
    "SELECT conversationID, position, isFinal, emptied, 0, NULL FROM deletion "
    "UNION ALL SELECT conversationID, serverOrder, isEvicted, NULL, 1, deletedOrder FROM horizon",
    "SELECT 1 FROM waitingOperation LIMIT 1",
    "SELECT value FROM setting WHERE name = ?",
    "SELECT value FROM setting WHERE name = ?",
    "SELECT value FROM setting WHERE name = ?",
    "SELECT max(max(enqueuedAt, coalesce(departedAt, enqueuedAt))) FROM outbox",
    "SELECT s.messageID, m.conversationID FROM stream s JOIN message m ON m.id = s.messageID "
    "WHERE NOT s.isInterrupted",
    "UPDATE work SET isInterrupted = 1 WHERE NOT isInterrupted AND writer <> ? RETURNING conversationID",
    "INSERT INTO setting (name, value) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    "INSERT INTO setting (name, value) VALUES (?, ?) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    NULL,
};

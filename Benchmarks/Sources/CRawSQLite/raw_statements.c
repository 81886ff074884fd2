#include "raw_statements.h"

// Each statement is the engine's own, but for white space; `holdfast-bench` compares them with what the
// engine runs before it measures anything.
const char *const raw_sql[STATEMENT_COUNT] = {
    [BEGIN_WRITE] = "BEGIN IMMEDIATE TRANSACTION",
    [BEGIN_READ] = "BEGIN DEFERRED TRANSACTION",
    [COMMIT] = "COMMIT TRANSACTION",
    [FIND_CONVERSATION] = "SELECT 1 FROM conversation WHERE id = ?",
    [OUTBOX_SPAN] = "SELECT coalesce((SELECT max(position) FROM outbox) "
                    "- (SELECT min(position) FROM outbox) + 1, 0)",
    [INSERT_MESSAGE] = "INSERT INTO message "
                       "(id, conversationID, serverOrder, place, sender, role, body, reasoning, createdAt) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_OUTBOX] = "INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
    [NEXT_REVISION] = "UPDATE setting SET value = value + 1 WHERE name = 'revision' RETURNING value",
    [NOTE_SEND] = "UPDATE conversation SET listRevision = ?1, updatedAt = ?2, "
                  "sentRevision = CASE WHEN ?3 THEN ?1 ELSE sentRevision END, lastSentMessageID = ?4, "
                  "title = CASE WHEN title IS NULL AND json_array_length(members) < 2 THEN ?5 ELSE title END "
                  "WHERE id = ?6",
    [DELETE_DRAFT] = "DELETE FROM draft WHERE conversationID = ? AND slot = ?",
    [UPSERT_DRAFT] =
        "INSERT INTO draft (id, conversationID, slot, content, cursorStart, cursorEnd, lastSentMessageID, "
        "revision, session, updatedAt) "
        "VALUES (?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?) "
        "ON CONFLICT (conversationID, slot) DO UPDATE SET content = excluded.content, "
        "cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd, "
        "lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision, "
        "session = excluded.session, updatedAt = excluded.updatedAt",
    [CONVERSATION] = "SELECT title, members FROM conversation WHERE id = ?",
    [TIMELINE] =
        "SELECT m.id, m.sender, m.role, m.body, m.reasoning, m.serverOrder, m.createdAt, "
        "o.messageID IS NOT NULL, o.parkedCode, o.parkedExplanation, s.messageID IS NOT NULL, s.isInterrupted "
        "FROM message m "
        "LEFT JOIN outbox o ON o.messageID = m.id "
        "LEFT JOIN stream s ON s.messageID = m.id "
        "WHERE m.conversationID = ? "
        "ORDER BY m.place DESC, m.position DESC LIMIT ?",
};

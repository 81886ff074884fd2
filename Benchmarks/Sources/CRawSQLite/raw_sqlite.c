#include "raw_sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>

enum {
  BEGIN, COMMIT, FIND_CONVERSATION, SPAN, INSERT_MESSAGE, ENQUEUE, REVISION, NOTE_SEND, DELETE_DRAFT,
  SAVE_DRAFT, LAST_100, FIND_ALL, STATEMENTS
};

struct raw_store {
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENTS];
};

// The text of each statement is the engine's own, so that both give SQLite the same work.
static const char *const sql[STATEMENTS] = {
  [BEGIN] = "BEGIN IMMEDIATE TRANSACTION",
  [COMMIT] = "COMMIT TRANSACTION",
  [FIND_CONVERSATION] = "SELECT 1 FROM conversation WHERE id = ?",
  [SPAN] = "SELECT coalesce((SELECT max(position) FROM outbox) - (SELECT min(position) FROM outbox) + 1, 0)",
  [INSERT_MESSAGE] =
    "INSERT INTO message (id, conversationID, serverOrder, place, sender, role, body, reasoning, createdAt) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  [ENQUEUE] = "INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
  [REVISION] = "UPDATE setting SET value = value + 1 WHERE name = 'revision' RETURNING value",
  [NOTE_SEND] =
    "UPDATE conversation SET listRevision = ?1, updatedAt = ?2, "
    "sentRevision = CASE WHEN ?3 THEN ?1 ELSE sentRevision END, lastSentMessageID = ?4, "
    "title = CASE WHEN title IS NULL AND json_array_length(members) < 2 THEN ?5 ELSE title END "
    "WHERE id = ?6",
  [DELETE_DRAFT] = "DELETE FROM draft WHERE conversationID = ? AND slot = ?",
  [SAVE_DRAFT] =
    "INSERT INTO draft (id, conversationID, slot, content, cursorStart, cursorEnd, lastSentMessageID, "
    "revision, session, updatedAt) "
    "VALUES (?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?) "
    "ON CONFLICT (conversationID, slot) DO UPDATE SET content = excluded.content, "
    "cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd, "
    "lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision, "
    "session = excluded.session, updatedAt = excluded.updatedAt",
  [LAST_100] =
    "SELECT m.id, m.sender, m.role, m.body, m.reasoning, m.serverOrder, m.createdAt, "
    "o.messageID IS NOT NULL, o.parkedCode, o.parkedExplanation, s.messageID IS NOT NULL, s.isInterrupted "
    "FROM message m LEFT JOIN outbox o ON o.messageID = m.id LEFT JOIN stream s ON s.messageID = m.id "
    "WHERE m.conversationID = ? ORDER BY m.place DESC, m.position DESC LIMIT 101",
  [FIND_ALL] =
    "SELECT c.id, c.title, c.members, c.createdAt, c.updatedAt, "
    "(SELECT substr(m.body, 1, 200) FROM message m WHERE m.conversationID = c.id "
    "ORDER BY m.place DESC, m.position DESC LIMIT 1) FROM conversation c WHERE c.id = ?",
};

static int run(raw_store *store, int which) {
  sqlite3_stmt *statement = store->statements[which];
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void text(raw_store *store, int which, int index, const char *value) {
  sqlite3_bind_text(store->statements[which], index, value, -1, SQLITE_STATIC);
}

static void number(raw_store *store, int which, int index, int64_t value) {
  sqlite3_bind_int64(store->statements[which], index, value);
}

static int64_t revision(raw_store *store) {
  sqlite3_stmt *statement = store->statements[REVISION];
  int64_t value = -1;
  while (sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
  sqlite3_reset(statement);
  return value;
}

// The tables are copied from the engine's own file, so that they cannot drift from it.
static int copy_schema(sqlite3 *db, const char *model) {
  sqlite3 *source = 0;
  sqlite3_stmt *tables = 0;
  int code = sqlite3_open_v2(model, &source, SQLITE_OPEN_READONLY, 0);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(source,
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid", -1, &tables, 0);
  while (code == SQLITE_OK) {
    int step = sqlite3_step(tables);
    if (step == SQLITE_DONE) break;
    code = step == SQLITE_ROW ? sqlite3_exec(db, (const char *)sqlite3_column_text(tables, 0), 0, 0, 0) : step;
  }
  sqlite3_finalize(tables);
  sqlite3_close(source);
  if (code != SQLITE_OK) return code;
  return sqlite3_exec(db, "INSERT INTO setting (name, value) VALUES ('revision', 0)", 0, 0, 0);
}

int raw_open(const char *path, const char *model, raw_store **result) {
  raw_store *store = calloc(1, sizeof *store);
  if (!store) return SQLITE_NOMEM;
  *result = store;
  int code = sqlite3_open(path, &store->db);
  const char *const pragmas =
    "PRAGMA secure_delete = ON; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA foreign_keys = ON;"
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";
  if (code == SQLITE_OK) code = sqlite3_exec(store->db, pragmas, 0, 0, 0);
  if (code == SQLITE_OK) code = copy_schema(store->db, model);
  if (code == SQLITE_OK)
    code = sqlite3_exec(store->db,
      "INSERT INTO conversation (id, members, createdAt, updatedAt, listRevision) "
      "VALUES ('c', '[\"alice\",\"bob\"]', 0, 0, 0)", 0, 0, 0);
  for (int which = 0; code == SQLITE_OK && which < STATEMENTS; which++)
    code = sqlite3_prepare_v2(store->db, sql[which], -1, &store->statements[which], 0);
  return code;
}

void raw_close(raw_store *store) {
  if (!store) return;
  for (int which = 0; which < STATEMENTS; which++) sqlite3_finalize(store->statements[which]);
  sqlite3_close(store->db);
  free(store);
}

int raw_send(raw_store *store, const char *id, const char *body, int64_t now) {
  int code = run(store, BEGIN);
  if (code != SQLITE_OK) return code;
  number(store, NOTE_SEND, 1, revision(store));
  number(store, NOTE_SEND, 2, now);
  number(store, NOTE_SEND, 3, 1);
  text(store, NOTE_SEND, 4, id);
  text(store, NOTE_SEND, 5, body);
  text(store, NOTE_SEND, 6, "c");
  if ((code = run(store, NOTE_SEND)) != SQLITE_OK) return code;
  if ((code = run(store, SPAN)) != SQLITE_OK) return code;
  text(store, INSERT_MESSAGE, 1, id);
  text(store, INSERT_MESSAGE, 2, "c");
  number(store, INSERT_MESSAGE, 4, 1LL << 62);
  text(store, INSERT_MESSAGE, 5, "alice");
  text(store, INSERT_MESSAGE, 6, "user");
  text(store, INSERT_MESSAGE, 7, body);
  number(store, INSERT_MESSAGE, 9, now);
  if ((code = run(store, INSERT_MESSAGE)) != SQLITE_OK) return code;
  text(store, ENQUEUE, 1, id);
  text(store, ENQUEUE, 2, "c");
  number(store, ENQUEUE, 3, now);
  if ((code = run(store, ENQUEUE)) != SQLITE_OK) return code;
  text(store, DELETE_DRAFT, 1, "c");
  text(store, DELETE_DRAFT, 2, "new");
  if ((code = run(store, DELETE_DRAFT)) != SQLITE_OK) return code;
  return run(store, COMMIT);
}

int raw_save_draft(raw_store *store, const char *id, const char *content, int64_t now) {
  int code = run(store, BEGIN);
  if (code != SQLITE_OK) return code;
  text(store, FIND_CONVERSATION, 1, "c");
  if ((code = run(store, FIND_CONVERSATION)) != SQLITE_OK) return code;
  text(store, SAVE_DRAFT, 1, id);
  text(store, SAVE_DRAFT, 2, "c");
  text(store, SAVE_DRAFT, 3, "new");
  text(store, SAVE_DRAFT, 4, content);
  text(store, SAVE_DRAFT, 7, "c");
  number(store, SAVE_DRAFT, 8, revision(store));
  text(store, SAVE_DRAFT, 9, "session");
  number(store, SAVE_DRAFT, 10, now);
  if ((code = run(store, SAVE_DRAFT)) != SQLITE_OK) return code;
  return run(store, COMMIT);
}

static int read_all(sqlite3_stmt *statement, int64_t *bytes) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW)
    for (int column = 0, count = sqlite3_column_count(statement); column < count; column++) {
      sqlite3_column_text(statement, column);
      *bytes += sqlite3_column_bytes(statement, column);
    }
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int raw_last_100(raw_store *store, int64_t *bytes) {
  *bytes = 0;
  text(store, FIND_ALL, 1, "c");
  int code = read_all(store->statements[FIND_ALL], bytes);
  if (code != SQLITE_OK) return code;
  text(store, LAST_100, 1, "c");
  return read_all(store->statements[LAST_100], bytes);
}

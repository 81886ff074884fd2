#include "lean_store.h"

#include <stdlib.h>

#include "raw_steps.h"

enum lean_statement {
  LEAN_BEGIN,
  LEAN_COMMIT,
  LEAN_SAVE_DRAFT,
  LEAN_DELETE_DRAFT,
  LEAN_INSERT_MESSAGE,
  LEAN_UPSERT_MESSAGE,
  LEAN_ENQUEUE,
  LEAN_CONFIRM,
  LEAN_LEAVE_OUTBOX,
  LEAN_SET_CURSOR,
  LEAN_TIMELINE,
  LEAN_STATEMENT_COUNT,
};

// A message that waits in the outbox has the place 2^62, and its `position` is its turn.
static const char schema[] =
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "CREATE TABLE message (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL, "
    "place INTEGER NOT NULL, sender TEXT NOT NULL, createdAt INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE INDEX message_place ON message (conversation, place);"
    "CREATE TABLE outbox (position INTEGER PRIMARY KEY);"
    "CREATE TABLE draft (conversation TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;";

static const char fill[] =
    "INSERT INTO main.message (id, conversation, place, sender, createdAt, body) "
    "SELECT id, conversationID, serverOrder, sender, createdAt, body FROM source.message ORDER BY position";

static const char *const lean_sql[LEAN_STATEMENT_COUNT] = {
    [LEAN_BEGIN] = "BEGIN IMMEDIATE",
    [LEAN_COMMIT] = "COMMIT",
    [LEAN_SAVE_DRAFT] = "INSERT INTO draft (conversation, body) VALUES (?, ?) "
                        "ON CONFLICT (conversation) DO UPDATE SET body = excluded.body",
    [LEAN_DELETE_DRAFT] = "DELETE FROM draft WHERE conversation = ?",
    [LEAN_INSERT_MESSAGE] = "INSERT INTO message (id, conversation, place, sender, createdAt, body) "
                            "VALUES (?, ?, ?, ?, ?, ?)",
    [LEAN_UPSERT_MESSAGE] = "INSERT INTO message (id, conversation, place, sender, createdAt, body) "
                            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place",
    [LEAN_ENQUEUE] = "INSERT INTO outbox (position) VALUES (?)",
    [LEAN_CONFIRM] = "UPDATE message SET place = ?, createdAt = ? WHERE id = ? RETURNING position",
    [LEAN_LEAVE_OUTBOX] = "DELETE FROM outbox WHERE position = ?",
    [LEAN_SET_CURSOR] = "INSERT INTO setting (name, value) VALUES ('cursor', ?) "
                        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [LEAN_TIMELINE] = "SELECT id, place, sender, createdAt, body FROM message WHERE conversation = ? "
                      "ORDER BY place DESC, position DESC LIMIT ?",
};

struct lean_store {
  sqlite3 *db;
  sqlite3_stmt *statements[LEAN_STATEMENT_COUNT];
  // What reading leaves behind, so that no compiler leaves the reading out.
  uint64_t bytes_read;
};

// MARK: - Opening

static int attach(sqlite3 *db, const char *path) {
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(db, "ATTACH ? AS source", -1, &statement, NULL);
  if (result == SQLITE_OK) {
    text(statement, 1, path);
    sqlite3_step(statement);
  }
  int ended = sqlite3_finalize(statement);
  return result == SQLITE_OK ? ended : result;
}

// Fills the new database before it has a journal of the kind that is measured, so that nothing of this is left in it.
static int copy_messages(sqlite3 *db, const char *source) {
  int result = sqlite3_exec(db, schema, NULL, NULL, NULL);
  if (result == SQLITE_OK) result = attach(db, source);
  if (result == SQLITE_OK) result = sqlite3_exec(db, fill, NULL, NULL, NULL);
  return result == SQLITE_OK ? sqlite3_exec(db, "DETACH source", NULL, NULL, NULL) : result;
}

lean_store *lean_open(const char *path, const char *source) {
  lean_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  int result = sqlite3_open(path, &store->db);
  if (result == SQLITE_OK) result = copy_messages(store->db, source);
  if (result == SQLITE_OK) result = raw_configure(store->db);
  for (int i = 0; i < LEAN_STATEMENT_COUNT && result == SQLITE_OK; i++)
    result = sqlite3_prepare_v3(store->db, lean_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL);
  if (result == SQLITE_OK) return store;
  lean_close(store);
  return NULL;
}

void lean_close(lean_store *store) {
  for (int i = 0; i < LEAN_STATEMENT_COUNT; i++) sqlite3_finalize(store->statements[i]);
  sqlite3_close(store->db);
  free(store);
}

const char *lean_error(const lean_store *store) { return sqlite3_errmsg(store->db); }

// MARK: - Sending

static int run_alone(lean_store *store, enum lean_statement which) {
  return run(store->statements[which], NULL);
}

// A statement by itself is a transaction.
int64_t lean_save_draft(lean_store *store, const char *conversation, const char *body) {
  int64_t start = nanoseconds();
  sqlite3_stmt *draft = store->statements[LEAN_SAVE_DRAFT];
  text(draft, 1, conversation);
  text(draft, 2, body);
  return run(draft, NULL) ? nanoseconds() - start : -1;
}

static int insert(sqlite3_stmt *statement, const raw_message *message, int64_t place, int64_t now) {
  text(statement, 1, message->id);
  text(statement, 2, message->conversation);
  sqlite3_bind_int64(statement, 3, place);
  text(statement, 4, message->sender);
  sqlite3_bind_int64(statement, 5, now);
  text(statement, 6, message->body);
  return run(statement, NULL);
}

static int enqueue_last(lean_store *store) {
  sqlite3_stmt *statement = store->statements[LEAN_ENQUEUE];
  sqlite3_bind_int64(statement, 1, sqlite3_last_insert_rowid(store->db));
  return run(statement, NULL);
}

int64_t lean_send(lean_store *store, const raw_message *message, int64_t now) {
  int64_t start = nanoseconds();
  sqlite3_stmt *draft = store->statements[LEAN_DELETE_DRAFT];
  text(draft, 1, message->conversation);
  int ok = run_alone(store, LEAN_BEGIN) &&
           insert(store->statements[LEAN_INSERT_MESSAGE], message, (int64_t)1 << 62, now) && enqueue_last(store) &&
           run(draft, NULL) && run_alone(store, LEAN_COMMIT);
  return ok ? nanoseconds() - start : -1;
}

// MARK: - Receiving

static int set_cursor(lean_store *store, const char *cursor) {
  sqlite3_stmt *statement = store->statements[LEAN_SET_CURSOR];
  text(statement, 1, cursor);
  return run(statement, NULL);
}

int64_t lean_append(lean_store *store, const raw_message *messages, int count, const char *cursor, int64_t now) {
  int64_t start = nanoseconds();
  sqlite3_stmt *upsert = store->statements[LEAN_UPSERT_MESSAGE];
  int ok = run_alone(store, LEAN_BEGIN);
  for (int i = 0; i < count && ok; i++) ok = insert(upsert, &messages[i], messages[i].order, now);
  ok = ok && set_cursor(store, cursor) && run_alone(store, LEAN_COMMIT);
  return ok ? nanoseconds() - start : -1;
}

// Whether the message is here; its position is in `position`.
static int confirm(lean_store *store, const raw_message *message, int64_t now, int64_t *position) {
  sqlite3_stmt *statement = store->statements[LEAN_CONFIRM];
  sqlite3_bind_int64(statement, 1, message->order);
  sqlite3_bind_int64(statement, 2, now);
  text(statement, 3, message->id);
  return run(statement, position) && *position > 0;
}

int64_t lean_take_receipt(lean_store *store, const raw_message *message, int64_t now) {
  int64_t start = nanoseconds();
  int64_t position = 0;
  if (!run_alone(store, LEAN_BEGIN) || !confirm(store, message, now, &position)) return -1;
  sqlite3_stmt *leave = store->statements[LEAN_LEAVE_OUTBOX];
  sqlite3_bind_int64(leave, 1, position);
  return run(leave, NULL) && run_alone(store, LEAN_COMMIT) ? nanoseconds() - start : -1;
}

// MARK: - Reading

int64_t lean_read_timeline(lean_store *store, const char *conversation, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  sqlite3_stmt *timeline = store->statements[LEAN_TIMELINE];
  text(timeline, 1, conversation);
  // One more than is shown tells whether there are older ones.
  sqlite3_bind_int(timeline, 2, limit + 1);
  return read_all(timeline, &store->bytes_read, rows) ? nanoseconds() - start : -1;
}

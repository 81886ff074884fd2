#include <time.h>

#include "raw_statements.h"

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// MARK: - Binding and stepping. Texts outlive the step, so nothing is copied.

static sqlite3_stmt *prepared(raw_store *store, enum statement which) { return store->statements[which]; }

static void text(sqlite3_stmt *statement, int index, const char *value) {
  sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
}

// Steps to the end, and returns whether that went well. The first column of the first row is in `value`.
static int run(sqlite3_stmt *statement, int64_t *value) {
  int result = sqlite3_step(statement);
  if (result == SQLITE_ROW && value) *value = sqlite3_column_int64(statement, 0);
  while (result == SQLITE_ROW) result = sqlite3_step(statement);
  return sqlite3_reset(statement) == SQLITE_OK && result == SQLITE_DONE;
}

static int run_plain(raw_store *store, enum statement which) { return run(prepared(store, which), NULL); }

static int next_revision(raw_store *store, int64_t *revision) {
  return run(prepared(store, NEXT_REVISION), revision);
}

static int find_conversation(raw_store *store, const char *conversation) {
  sqlite3_stmt *statement = prepared(store, FIND_CONVERSATION);
  text(statement, 1, conversation);
  int64_t found = 0;
  return run(statement, &found) && found == 1;
}

// MARK: - Send

static int insert_message(raw_store *store, const char *message, const char *conversation,
                          const char *sender, const char *body, int64_t now) {
  sqlite3_stmt *insert = prepared(store, INSERT_MESSAGE);
  text(insert, 1, message);
  text(insert, 2, conversation);
  sqlite3_bind_int64(insert, 4, (int64_t)1 << 62);
  text(insert, 5, sender);
  text(insert, 6, "user");
  text(insert, 7, body);
  sqlite3_bind_int64(insert, 9, now);
  sqlite3_stmt *enqueue = prepared(store, INSERT_OUTBOX);
  text(enqueue, 1, message);
  text(enqueue, 2, conversation);
  sqlite3_bind_int64(enqueue, 3, now);
  return run(insert, NULL) && run(enqueue, NULL);
}

static int note_send(raw_store *store, const char *message, const char *conversation, const char *title,
                     int64_t now) {
  int64_t revision = 0;
  if (!next_revision(store, &revision)) return 0;
  sqlite3_stmt *note = prepared(store, NOTE_SEND);
  sqlite3_bind_int64(note, 1, revision);
  sqlite3_bind_int64(note, 2, now);
  sqlite3_bind_int(note, 3, 1);
  text(note, 4, message);
  text(note, 5, title);
  text(note, 6, conversation);
  return run(note, NULL);
}

static int delete_draft(raw_store *store, const char *conversation) {
  sqlite3_stmt *statement = prepared(store, DELETE_DRAFT);
  text(statement, 1, conversation);
  text(statement, 2, "new");
  return run(statement, NULL);
}

int64_t raw_send(raw_store *store, const char *message, const char *conversation, const char *sender,
                 const char *body, int64_t now) {
  int64_t start = nanoseconds();
  int64_t span = 0;
  int ok = run_plain(store, BEGIN_WRITE) && note_send(store, message, conversation, body, now) &&
           run(prepared(store, OUTBOX_SPAN), &span) && span < 100000 &&
           insert_message(store, message, conversation, sender, body, now) &&
           delete_draft(store, conversation) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

// MARK: - Draft

int64_t raw_save_draft(raw_store *store, const char *draft, const char *conversation, const char *content,
                       const char *session, int64_t now) {
  int64_t start = nanoseconds();
  int64_t revision = 0;
  if (!run_plain(store, BEGIN_WRITE) || !find_conversation(store, conversation) ||
      !next_revision(store, &revision))
    return -1;
  sqlite3_stmt *upsert = prepared(store, UPSERT_DRAFT);
  text(upsert, 1, draft);
  text(upsert, 2, conversation);
  text(upsert, 3, "new");
  text(upsert, 4, content);
  text(upsert, 7, conversation);
  sqlite3_bind_int64(upsert, 8, revision);
  text(upsert, 9, session);
  sqlite3_bind_int64(upsert, 10, now);
  return run(upsert, NULL) && run_plain(store, COMMIT) ? nanoseconds() - start : -1;
}

// MARK: - Timeline

// Takes every column of every row as C would use it: a pointer to the text, or a number.
static int read_rows(raw_store *store, sqlite3_stmt *statement, int64_t *rows) {
  int result = sqlite3_step(statement);
  int columns = sqlite3_column_count(statement);
  for (; result == SQLITE_ROW; result = sqlite3_step(statement)) {
    for (int column = 0; column < columns; column++) {
      if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
        const unsigned char *value = sqlite3_column_text(statement, column);
        store->bytes_read += value[0] + sqlite3_column_bytes(statement, column);
      } else {
        store->bytes_read += sqlite3_column_int64(statement, column);
      }
    }
    *rows += 1;
  }
  return sqlite3_reset(statement) == SQLITE_OK && result == SQLITE_DONE;
}

int64_t raw_read_timeline(raw_store *store, const char *conversation, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  int64_t heads = 0;
  sqlite3_stmt *head = prepared(store, CONVERSATION);
  text(head, 1, conversation);
  sqlite3_stmt *timeline = prepared(store, TIMELINE);
  text(timeline, 1, conversation);
  // One more than is shown tells whether there are older ones.
  sqlite3_bind_int(timeline, 2, limit + 1);
  int ok = run_plain(store, BEGIN_READ) && read_rows(store, head, &heads) &&
           read_rows(store, timeline, rows) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

#include "raw_steps.h"

static int read_head(raw_store *store, const char *conversation) {
  int64_t rows = 0;
  sqlite3_stmt *head = prepared(store, CONVERSATION);
  text(head, 1, conversation);
  return read_rows(store, head, &rows);
}

static int read_marks(raw_store *store, const char *conversation) {
  int64_t rows = 0;
  sqlite3_stmt *marks = prepared(store, READ_MARKS);
  text(marks, 1, conversation);
  return read_rows(store, marks, &rows);
}

static int read_messages(raw_store *store, const char *conversation, int limit, int64_t *rows) {
  int64_t has_unsent = 0;
  if (!run(prepared(store, UNSETTLED), &has_unsent)) return 0;
  sqlite3_stmt *timeline = prepared(store, has_unsent ? TIMELINE_WITH_UNSENT : TIMELINE);
  text(timeline, 1, conversation);
  // One more than is shown tells whether there are older ones.
  sqlite3_bind_int(timeline, 2, limit + 1);
  return read_rows(store, timeline, rows);
}

int64_t raw_read_timeline(raw_store *store, const char *conversation, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  int64_t attachments = 0;
  int ok = run_plain(store, BEGIN_READ) && read_messages(store, conversation, limit, rows) &&
           read_head(store, conversation) && read_rows(store, prepared(store, ANY_ATTACHMENT), &attachments) &&
           read_marks(store, conversation) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_read_message(raw_store *store, const char *conversation, const char *id, int64_t *rows) {
  int64_t start = nanoseconds();
  sqlite3_stmt *message = prepared(store, MESSAGE_WITH_UNSENT);
  text(message, 1, id);
  text(message, 2, conversation);
  int64_t unsettled = 0, attachments = 0;
  int ok = run_plain(store, BEGIN_READ) && read_head(store, conversation) && read_rows(store, message, rows) &&
           read_rows(store, prepared(store, UNSETTLED), &unsettled) &&
           read_rows(store, prepared(store, ANY_ATTACHMENT), &attachments) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

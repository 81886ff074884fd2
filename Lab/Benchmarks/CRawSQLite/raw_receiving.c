#include <string.h>

#include "raw_steps.h"

// The account of the store.
static const char own_name[] = "alice";

static int touch(raw_store *store, const char *conversation, int64_t now) {
  int64_t revision = 0;
  if (!next_revision(store, &revision)) return 0;
  sqlite3_stmt *statement = prepared(store, TOUCH);
  sqlite3_bind_int64(statement, 1, revision);
  sqlite3_bind_int64(statement, 2, now);
  text(statement, 3, conversation);
  return run(statement, NULL);
}

static int mark_confirmed(raw_store *store, const char *conversation) {
  sqlite3_stmt *statement = prepared(store, MARK_CONFIRMED);
  text(statement, 1, conversation);
  return run(statement, NULL);
}

static int create_conversation(raw_store *store, const char *conversation, int64_t now) {
  sqlite3_stmt *statement = prepared(store, CREATE_CONVERSATION);
  text(statement, 1, conversation);
  sqlite3_bind_int(statement, 3, 0);
  text(statement, 4, "[\"bob\"]");
  sqlite3_bind_int64(statement, 5, now);
  sqlite3_bind_int64(statement, 6, now);
  return run(statement, NULL);
}

// Whether the message is known is all that the statements behind it depend on.
static int look_up(raw_store *store, const char *message, int is_known) {
  sqlite3_stmt *statement = prepared(store, KNOWN_MESSAGE);
  text(statement, 1, message);
  int64_t rows = 0;
  return read_rows(store, statement, &rows) && rows == is_known;
}

static int insert(raw_store *store, const raw_message *message, int64_t place, int has_order, int64_t now) {
  sqlite3_stmt *statement = prepared(store, INSERT_MESSAGE);
  text(statement, 1, message->id);
  text(statement, 2, message->conversation);
  if (has_order)
    sqlite3_bind_int64(statement, 3, message->order);
  else
    sqlite3_bind_null(statement, 3);
  sqlite3_bind_int64(statement, 4, place);
  text(statement, 5, message->sender);
  text(statement, 6, "user");
  sqlite3_bind_int64(statement, 7, now);
  sqlite3_bind_int(statement, 8, 0);
  text(statement, 9, message->body);
  return run(statement, NULL);
}

static int confirm(raw_store *store, const raw_message *message, int64_t now) {
  sqlite3_stmt *leave = prepared(store, DELETE_OUTBOX);
  text(leave, 1, message->id);
  sqlite3_stmt *place = prepared(store, CONFIRM_MESSAGE);
  sqlite3_bind_int64(place, 1, message->order);
  sqlite3_bind_int64(place, 2, message->order * 2);
  sqlite3_bind_int64(place, 3, now);
  text(place, 4, message->id);
  return run(leave, NULL) && run(place, NULL);
}

static int set_cursor(raw_store *store, const char *cursor) {
  sqlite3_stmt *statement = prepared(store, SET_CURSOR);
  text(statement, 1, "sync");
  text(statement, 2, cursor);
  return run(statement, NULL);
}

// A message of one's own that is not known here may be one that the app has let go.
static int look_up_forgotten(raw_store *store, const raw_message *message) {
  if (strcmp(message->sender, own_name) != 0) return 1;
  sqlite3_stmt *statement = prepared(store, FORGOTTEN_MESSAGE);
  text(statement, 1, message->id);
  int64_t rows = 0;
  return read_rows(store, statement, &rows) && rows == 0;
}

static int count_metric(raw_store *store, const char *metric, int64_t bucket) {
  sqlite3_stmt *statement = prepared(store, COUNT_METRIC);
  text(statement, 1, metric);
  sqlite3_bind_int64(statement, 2, bucket);
  sqlite3_bind_int64(statement, 3, 1);
  return run(statement, NULL);
}

int64_t raw_append(raw_store *store, const raw_message *messages, int count, const char *cursor, int64_t now) {
  int64_t start = nanoseconds();
  const char *conversation = messages[0].conversation;
  int64_t on_device = 0;
  int ok = run_plain(store, BEGIN_WRITE) && read_rows(store, prepared(store, DEVICE_CONVERSATIONS), &on_device);
  for (int i = 0; i < count && ok; i++) {
    ok = look_up(store, messages[i].id, 0) && look_up_forgotten(store, &messages[i]);
    if (i == 0) ok = ok && create_conversation(store, conversation, now);
    ok = ok && insert(store, &messages[i], messages[i].order * 2, 1, now);
  }
  ok = ok && mark_confirmed(store, conversation) && touch(store, conversation, now) &&
       set_cursor(store, cursor) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_take_receipt(raw_store *store, const raw_message *message, int64_t now) {
  int64_t start = nanoseconds();
  int64_t records = 0;
  int ok = run_plain(store, BEGIN_WRITE) && look_up(store, message->id, 1) &&
           setting(store, "recordsDeliveries", &records) && confirm(store, message, now) && mark_confirmed(store, message->conversation) &&
           count_metric(store, "timeToDelivered", 1) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

// MARK: - A message that arrives piece by piece

int64_t raw_begin_stream(raw_store *store, const raw_message *message, int64_t now) {
  int64_t start = nanoseconds();
  sqlite3_stmt *conversation = prepared(store, IS_CONVERSATION_HERE);
  text(conversation, 1, message->conversation);
  sqlite3_stmt *stream = prepared(store, INSERT_STREAM);
  text(stream, 1, message->id);
  sqlite3_bind_int64(stream, 2, now);
  raw_message empty = *message;
  empty.body = "";
  sqlite3_stmt *writer = prepared(store, STREAM_WRITER);
  text(writer, 1, message->id);
  sqlite3_stmt *forgotten = prepared(store, FORGOTTEN_STREAM);
  text(forgotten, 1, message->id);
  int64_t rows = 0, on_device = 0;
  int ok = run_plain(store, BEGIN_READ) && look_up(store, message->id, 0) && read_rows(store, writer, &rows) &&
           run_plain(store, COMMIT) &&
           run_plain(store, BEGIN_READ) && is_on_device(store, message->conversation, &on_device) &&
           read_rows(store, conversation, &rows) &&
           read_rows(store, forgotten, &rows) && run_plain(store, COMMIT) && run_plain(store, BEGIN_WRITE) &&
           insert(store, &empty, (int64_t)1 << 62, 0, now) && run(stream, NULL) &&
           touch(store, message->conversation, now) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_append_chunk(raw_store *store, const char *message, int64_t first, int64_t next,
                         const char *piece) {
  int64_t start = nanoseconds();
  sqlite3_stmt *chunk = prepared(store, INSERT_CHUNK);
  text(chunk, 1, message);
  sqlite3_bind_int64(chunk, 2, first);
  sqlite3_bind_int64(chunk, 3, next);
  text(chunk, 4, piece);
  text(chunk, 5, "");
  sqlite3_stmt *resume = prepared(store, RESUME_STREAM);
  text(resume, 1, message);
  int ok = run_plain(store, BEGIN_WRITE) && run(chunk, NULL) && run(resume, NULL) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_finish_stream(raw_store *store, const raw_message *message, int64_t now) {
  int64_t start = nanoseconds();
  sqlite3_stmt *stream = prepared(store, DELETE_STREAM);
  text(stream, 1, message->id);
  sqlite3_stmt *leave = prepared(store, DELETE_OUTBOX);
  text(leave, 1, message->id);
  sqlite3_stmt *whole = prepared(store, CONFIRM_STREAM);
  text(whole, 1, message->body);
  sqlite3_bind_int64(whole, 9, message->order);
  sqlite3_bind_int64(whole, 10, message->order * 2);
  sqlite3_bind_int64(whole, 11, now);
  text(whole, 12, message->id);
  int64_t on_device = 0;
  int ok = run_plain(store, BEGIN_WRITE) && read_rows(store, prepared(store, DEVICE_CONVERSATIONS), &on_device) &&
           look_up(store, message->id, 1) && run(stream, NULL) &&
           run(leave, NULL) && run(whole, NULL) && touch(store, message->conversation, now) &&
           run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

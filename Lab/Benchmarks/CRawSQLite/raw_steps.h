#ifndef RAW_STEPS_H
#define RAW_STEPS_H

#include <time.h>

#include "raw_statements.h"

// Binding and stepping. Texts outlive the step, so nothing is copied.

static inline int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline sqlite3_stmt *prepared(raw_store *store, enum statement which) {
  return store->statements[which];
}

static inline void text(sqlite3_stmt *statement, int index, const char *value) {
  sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
}

// Steps to the end, and returns whether that went well. The first column of the first row is in `value`.
static inline int run(sqlite3_stmt *statement, int64_t *value) {
  int result = sqlite3_step(statement);
  if (result == SQLITE_ROW && value) *value = sqlite3_column_int64(statement, 0);
  while (result == SQLITE_ROW) result = sqlite3_step(statement);
  return sqlite3_reset(statement) == SQLITE_OK && result == SQLITE_DONE;
}

static inline int run_plain(raw_store *store, enum statement which) {
  return run(prepared(store, which), NULL);
}

static inline int next_revision(raw_store *store, int64_t *revision) {
  sqlite3_stmt *statement = prepared(store, NEXT_REVISION);
  text(statement, 1, "revision");
  return run(statement, revision);
}

// A setting that does not exist leaves `value` as it is.
static inline int setting(raw_store *store, const char *name, int64_t *value) {
  sqlite3_stmt *statement = prepared(store, SETTING);
  text(statement, 1, name);
  return run(statement, value);
}

// Whether a conversation has no server is in `found`.
static inline int is_on_device(raw_store *store, const char *conversation, int64_t *found) {
  sqlite3_stmt *statement = prepared(store, ON_DEVICE);
  text(statement, 1, conversation);
  return run(statement, found);
}

// Takes every column of every row as C would use it: a pointer to the text, or a number. What was read is added to
// `bytes_read`.
static inline int read_all(sqlite3_stmt *statement, uint64_t *bytes_read, int64_t *rows) {
  int result = sqlite3_step(statement);
  int columns = sqlite3_column_count(statement);
  for (; result == SQLITE_ROW; result = sqlite3_step(statement)) {
    for (int column = 0; column < columns; column++) {
      if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
        const unsigned char *value = sqlite3_column_text(statement, column);
        *bytes_read += value[0] + sqlite3_column_bytes(statement, column);
      } else {
        *bytes_read += (uint64_t)sqlite3_column_int64(statement, column);
      }
    }
    *rows += 1;
  }
  return sqlite3_reset(statement) == SQLITE_OK && result == SQLITE_DONE;
}

static inline int read_rows(raw_store *store, sqlite3_stmt *statement, int64_t *rows) {
  return read_all(statement, &store->bytes_read, rows);
}

#endif

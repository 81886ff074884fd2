#include <string.h>

#include "raw_steps.h"

// As the engine's limits: so many are looked at that are not indexed, and so many that have the words.
static const int newest_unindexed = 1000, candidates = 10000;

// How far the index has come, and the newest messages that are not in it.
static int read_unindexed(raw_store *store) {
  int64_t indexed = 0, newest = 0, outdated = 0, rows = 0;
  if (!setting(store, "indexedUpTo", &indexed) || !run(prepared(store, NEWEST_POSITION), &newest) ||
      !setting(store, "outdatedUpTo2", &outdated))
    return 0;
  sqlite3_stmt *unindexed = prepared(store, UNINDEXED);
  sqlite3_bind_int(unindexed, 2, newest_unindexed);
  sqlite3_bind_int64(unindexed, 3, indexed);
  sqlite3_bind_int64(unindexed, 4, outdated);
  return read_rows(store, unindexed, &rows);
}

int64_t raw_search(raw_store *store, const char *match, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  sqlite3_stmt *matches = prepared(store, MATCHES);
  text(matches, 1, match);
  sqlite3_bind_int(matches, 3, candidates);
  // One more than is shown tells whether there are more.
  sqlite3_bind_int(matches, 4, limit + 1);
  int ok = run_plain(store, BEGIN_READ) && read_unindexed(store) && read_rows(store, matches, rows) &&
           run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

// Whether a word of `body`, which has small letters and single spaces only, begins with `letter`.
static int has_word(const char *body, char letter) {
  if (*body == letter) return 1;
  for (const char *space = strchr(body, ' '); space; space = strchr(space + 1, ' '))
    if (space[1] == letter) return 1;
  return 0;
}

static int read_newest(raw_store *store, char letter, int limit, int64_t *rows) {
  sqlite3_stmt *newest = prepared(store, NEWEST);
  sqlite3_bind_int(newest, 1, newest_unindexed);
  int64_t found = 0;
  int result = SQLITE_ROW;
  while (found < limit && (result = sqlite3_step(newest)) == SQLITE_ROW) {
    for (int column = 0; column < sqlite3_column_count(newest); column++) sqlite3_column_text(newest, column);
    if (has_word((const char *)sqlite3_column_text(newest, 4), letter)) found++;
  }
  *rows += found;
  return sqlite3_reset(newest) == SQLITE_OK && found == limit;
}

int64_t raw_search_letter(raw_store *store, char letter, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  int ok = run_plain(store, BEGIN_READ) && read_unindexed(store) &&
           read_newest(store, letter, limit + 1, rows) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

static int import_one(raw_store *store, const raw_message *message, int64_t now) {
  sqlite3_stmt *place = prepared(store, IMPORT_PLACE);
  text(place, 1, message->id);
  int64_t known = 0;
  if (!read_rows(store, place, &known) || known > 0) return 0;
  sqlite3_stmt *insert = prepared(store, IMPORT_MESSAGE);
  text(insert, 1, message->id);
  text(insert, 2, message->conversation);
  sqlite3_bind_int64(insert, 3, message->order);
  sqlite3_bind_int64(insert, 4, message->order * 2);
  text(insert, 5, message->sender);
  text(insert, 6, "user");
  sqlite3_bind_int64(insert, 10, now);
  sqlite3_bind_int64(insert, 11, 0);
  sqlite3_bind_int(insert, 13, 0);
  text(insert, 14, message->body);
  return run(insert, NULL);
}

int64_t raw_import(raw_store *store, const raw_message *messages, int count, int64_t now) {
  int64_t start = nanoseconds();
  int ok = sqlite3_exec(store->db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL) == SQLITE_OK &&
           run_plain(store, BEGIN_WRITE);
  for (int i = 0; i < count && ok; i++) ok = import_one(store, &messages[i], now);
  ok = ok && run_plain(store, COMMIT) &&
       sqlite3_exec(store->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL) == SQLITE_OK;
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_export(raw_store *store, const char *conversation, int64_t *rows) {
  int64_t start = nanoseconds();
  sqlite3_stmt *messages = prepared(store, EXPORT);
  text(messages, 1, conversation);
  int ok = run_plain(store, BEGIN_READ) && read_rows(store, messages, rows) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_count_unindexed(const char *path) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  int64_t count = -1;
  int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
  if (result == SQLITE_OK) {
    sqlite3_busy_timeout(db, 5000);
    result = sqlite3_prepare_v2(db,
                                "SELECT (SELECT count(*) FROM unindexed) + (SELECT coalesce(max(position), 0) "
                                "FROM message) - (SELECT value FROM setting WHERE name = 'indexedUpTo')",
                                -1, &statement, NULL);
  }
  if (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) count = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return count;
}

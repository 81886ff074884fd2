#include <stdlib.h>

#include "raw_steps.h"

static int execute(sqlite3 *db, const char *text) { return sqlite3_exec(db, text, NULL, NULL, NULL); }

// Runs one statement with 1, 2, … for its parameters.
static int execute_with_numbers(sqlite3 *db, const char *text) {
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(db, text, -1, &statement, NULL);
  for (int i = 1; result == SQLITE_OK && i <= sqlite3_bind_parameter_count(statement); i++)
    result = sqlite3_bind_int64(statement, i, i);
  while (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {}
  int ended = sqlite3_finalize(statement);
  return result == SQLITE_OK ? ended : result;
}

static int copy_pages(sqlite3 *to, const char *path) {
  sqlite3 *from = NULL;
  int result = sqlite3_open_v2(path, &from, SQLITE_OPEN_READONLY, NULL);
  if (result == SQLITE_OK) {
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup) sqlite3_backup_step(backup, -1);
    result = backup ? sqlite3_backup_finish(backup) : sqlite3_errcode(to);
  }
  sqlite3_close(from);
  return result;
}

int raw_configure(sqlite3 *db) {
  return execute(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; "
                     "PRAGMA foreign_keys = ON;"
#ifdef __APPLE__
                     "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
#endif
  );
}

static int prepare(raw_store *store, int which) {
  return sqlite3_prepare_v3(store->db, raw_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                            &store->statements[which], NULL);
}

raw_store *raw_open(const char *path, const char *source) {
  raw_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  // The pages bring auto_vacuum = INCREMENTAL with them.
  int result = sqlite3_open(path, &store->db);
  if (result == SQLITE_OK) result = copy_pages(store->db, source);
  if (result == SQLITE_OK) result = raw_configure(store->db);
  for (int i = 0; i < STATEMENT_COUNT && result == SQLITE_OK; i++) result = prepare(store, i);
  if (result == SQLITE_OK) return store;
  raw_close(store);
  return NULL;
}

int64_t raw_cold_open(const char *path, const char *conversation, int limit, int64_t *rows) {
  int64_t start = nanoseconds();
  raw_store store = {0};
  int result = sqlite3_open(path, &store.db);
  if (result == SQLITE_OK) result = raw_configure(store.db);
  for (int i = 0; raw_opening_sql[i] && result == SQLITE_OK; i++)
    result = execute_with_numbers(store.db, raw_opening_sql[i]);
  const enum statement needed[] = {BEGIN_READ, COMMIT, CONVERSATION, UNSETTLED, TIMELINE, ANY_ATTACHMENT, READ_MARKS};
  for (int i = 0; i < 7 && result == SQLITE_OK; i++) result = prepare(&store, needed[i]);
  int ok = result == SQLITE_OK && raw_read_timeline(&store, conversation, limit, rows) >= 0;
  int64_t time = nanoseconds() - start;
  for (int i = 0; i < STATEMENT_COUNT; i++) sqlite3_finalize(store.statements[i]);
  sqlite3_close(store.db);
  return ok ? time : -1;
}

void raw_close(raw_store *store) {
  for (int i = 0; i < STATEMENT_COUNT; i++) sqlite3_finalize(store->statements[i]);
  sqlite3_close(store->db);
  free(store);
}

const char *raw_error(const raw_store *store) { return sqlite3_errmsg(store->db); }

const char *raw_sqlite_version(void) { return sqlite3_libversion(); }

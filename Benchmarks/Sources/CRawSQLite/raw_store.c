#include <stdlib.h>

#include "raw_statements.h"

static int execute(sqlite3 *db, const char *text) { return sqlite3_exec(db, text, NULL, NULL, NULL); }

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

raw_store *raw_open(const char *path, const char *source) {
  raw_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  // The pages bring auto_vacuum = INCREMENTAL with them; the rest belongs to the connection.
  int result = sqlite3_open(path, &store->db);
  if (result == SQLITE_OK) result = copy_pages(store->db, source);
  if (result == SQLITE_OK)
    result = execute(store->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                "PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
#ifdef __APPLE__
                                "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
#endif
    );
  for (int i = 0; i < STATEMENT_COUNT && result == SQLITE_OK; i++)
    result = sqlite3_prepare_v3(store->db, raw_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL);
  if (result == SQLITE_OK) return store;
  raw_close(store);
  return NULL;
}

void raw_close(raw_store *store) {
  for (int i = 0; i < STATEMENT_COUNT; i++) sqlite3_finalize(store->statements[i]);
  sqlite3_close(store->db);
  free(store);
}

const char *raw_error(const raw_store *store) { return sqlite3_errmsg(store->db); }

const char *raw_sqlite_version(void) { return sqlite3_libversion(); }

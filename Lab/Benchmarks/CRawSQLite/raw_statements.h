#ifndef RAW_STATEMENTS_H
#define RAW_STATEMENTS_H

#include <sqlite3.h>

#include "raw_store.h"

enum statement {
  BEGIN_WRITE,
  BEGIN_READ,
  COMMIT,
  FIND_CONVERSATION,
  ON_DEVICE,
  OUTBOX_SPAN,
  INSERT_MESSAGE,
  INSERT_OUTBOX,
  NEXT_REVISION,
  NOTE_SEND,
  UNUSED_FILES,
  DELETE_DRAFT,
  DELETE_VERSIONS,
  UPSERT_DRAFT,
  CONVERSATION,
  TIMELINE,
  TIMELINE_WITH_UNSENT,
  MESSAGE_WITH_UNSENT,
  UNSETTLED,
  ANY_ATTACHMENT,
  READ_MARKS,
  SETTING,
  DEVICE_CONVERSATIONS,
  FORGOTTEN_MESSAGE,
  KNOWN_MESSAGE,
  CREATE_CONVERSATION,
  MARK_CONFIRMED,
  TOUCH,
  SET_CURSOR,
  DELETE_OUTBOX,
  CONFIRM_MESSAGE,
  IS_CONVERSATION_HERE,
  INSERT_STREAM,
  INSERT_CHUNK,
  RESUME_STREAM,
  STREAM_WRITER,
  FORGOTTEN_STREAM,
  DELETE_STREAM,
  CONFIRM_STREAM,
  COUNT_METRIC,
  UNINDEXED,
  MATCHES,
  NEWEST,
  NEWEST_POSITION,
  IMPORT_PLACE,
  IMPORT_MESSAGE,
  EXPORT,
  STATEMENT_COUNT,
};

extern const char *const raw_sql[STATEMENT_COUNT];
// What the engine runs when it opens a store that is there already, up to NULL.
extern const char *const raw_opening_sql[];

struct raw_store {
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENT_COUNT];
  // What reading leaves behind, so that no compiler leaves the reading out.
  uint64_t bytes_read;
};

// Sets those of the engine's pragmas that belong to the connection. Returns SQLite's code.
int raw_configure(sqlite3 *db);

#endif

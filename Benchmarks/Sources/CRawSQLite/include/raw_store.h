#ifndef RAW_STORE_H
#define RAW_STORE_H

#include <stdint.h>

// SQLite as C sees it: the engine's statements, prepared once, with the engine's durability and none of
// the engine. What it costs is the floor that the engine is measured against.
//
// Every intent times itself, from its first call of SQLite to its last, and returns nanoseconds; a negative
// number is a failure, and raw_error() says which. One thread at a time.

typedef struct raw_store raw_store;

// Opens a new database at `path` with the very pages of the one at `source`: the same schema, the same rows.
// NULL when that fails.
raw_store *raw_open(const char *path, const char *source);
void raw_close(raw_store *store);
const char *raw_error(const raw_store *store);
const char *raw_sqlite_version(void);

// Moves a text from the draft to the outbox, in one transaction.
int64_t raw_send(raw_store *store, const char *message, const char *conversation, const char *sender,
                 const char *body, int64_t now);

// Stores what is in a composer, in one transaction.
int64_t raw_save_draft(raw_store *store, const char *draft, const char *conversation, const char *content,
                       const char *session, int64_t now);

// Reads a conversation's newest messages with every column, in one transaction, and adds the number of
// rows to `rows`.
int64_t raw_read_timeline(raw_store *store, const char *conversation, int limit, int64_t *rows);

#endif

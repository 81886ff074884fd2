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

// Puts a text into the outbox that was in no draft, in one transaction.
int64_t raw_send_without_draft(raw_store *store, const char *message, const char *conversation,
                               const char *sender, const char *body, int64_t now);

// Stores what is in a composer, in one transaction.
int64_t raw_save_draft(raw_store *store, const char *draft, const char *conversation, const char *content,
                       const char *session, int64_t now);

// A message as the server tells it.
typedef struct raw_message {
  const char *id, *conversation, *sender, *body;
  int64_t order;
} raw_message;

// Stores messages of one conversation that have just come, with the place in the server's log, in one
// transaction.
int64_t raw_append(raw_store *store, const raw_message *messages, int count, const char *cursor, int64_t now);

// Takes a message that was sent out of the outbox, in one transaction. Its sender and body are not looked at.
int64_t raw_take_receipt(raw_store *store, const raw_message *message, int64_t now);

// A message that arrives piece by piece: three kinds of transactions, the middle one many times.
int64_t raw_begin_stream(raw_store *store, const raw_message *message, int64_t now);
int64_t raw_append_chunk(raw_store *store, const char *message, int64_t first, int64_t next,
                         const char *piece);
int64_t raw_finish_stream(raw_store *store, const raw_message *message, int64_t now);

// Opens the database at `path`, which no one has open, and reads a conversation's newest messages as
// raw_read_timeline() does. Only opening and reading are timed, not closing.
int64_t raw_cold_open(const char *path, const char *conversation, int limit, int64_t *rows);

// Reads a conversation's newest messages with every column, in one transaction, and adds the number of
// rows to `rows`.
int64_t raw_read_timeline(raw_store *store, const char *conversation, int limit, int64_t *rows);

// Reads a message of a conversation that is shown already, in one transaction, and adds the number of rows to `rows`.
int64_t raw_read_message(raw_store *store, const char *conversation, const char *id, int64_t *rows);

// Searches as the engine does for `match`, an expression of FTS5: what is not indexed yet, and then the best of the
// newest matches, with every column, in one transaction. Adds the number of rows to `rows`.
int64_t raw_search(raw_store *store, const char *match, int limit, int64_t *rows);

// The same for the first letter of a word: the newest messages with such words, of the last thousand.
int64_t raw_search_letter(raw_store *store, char letter, int limit, int64_t *rows);

// Stores messages of one conversation that are history, in one transaction that is not synced.
int64_t raw_import(raw_store *store, const raw_message *messages, int count, int64_t now);

// Reads every message of a conversation with every column that an export has, and writes nothing. Adds the number
// of rows to `rows`.
int64_t raw_export(raw_store *store, const char *conversation, int64_t *rows);

// How many messages of the store at `path` are not in the index of words yet. Others may have it open. Not timed.
int64_t raw_count_unindexed(const char *path);

#endif

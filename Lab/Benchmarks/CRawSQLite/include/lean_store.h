#ifndef LEAN_STORE_H
#define LEAN_STORE_H

#include <stdint.h>

#include "raw_store.h"

// SQLite as it would be used for nothing but a chat's promises: a text is saved, a message that is sent goes from
// the draft to the outbox as one and has one ID, messages are unique by ID and in order, and a cursor is stored with
// its page. The schema is made for that, and each intent has the fewest statements that keep it. The durability is
// the engine's.
//
// Every intent times itself, from its first call of SQLite to its last, and returns nanoseconds; a negative
// number is a failure, and lean_error() says which. One thread at a time.

typedef struct lean_store lean_store;

// Opens a new database at `path` with the messages of the engine's store at `source`, which others may have open.
// All of them must be confirmed. NULL when that fails.
lean_store *lean_open(const char *path, const char *source);
void lean_close(lean_store *store);
const char *lean_error(const lean_store *store);

// Stores what is in a composer.
int64_t lean_save_draft(lean_store *store, const char *conversation, const char *body);

// Moves a text from the draft to the outbox, in one transaction. The message's order is not looked at.
int64_t lean_send(lean_store *store, const raw_message *message, int64_t now);

// Stores messages that have just come, with the place in the server's log, in one transaction. A message that is
// known already gets the server's order.
int64_t lean_append(lean_store *store, const raw_message *messages, int count, const char *cursor, int64_t now);

// Takes a message that was sent out of the outbox, in one transaction. Only its ID and order are looked at.
int64_t lean_take_receipt(lean_store *store, const raw_message *message, int64_t now);

// Reads a conversation's newest messages with every column that a row shows, and adds the number of rows to `rows`.
int64_t lean_read_timeline(lean_store *store, const char *conversation, int limit, int64_t *rows);

#endif

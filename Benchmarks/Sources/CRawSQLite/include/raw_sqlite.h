#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include <stdint.h>

// The engine's statements, prepared once, on SQLite's C interface. Every function returns SQLite's result code,
// 0 for success.
typedef struct raw_store raw_store;

// Opens a new file at `path` with the tables of the engine's store at `model`, and one conversation "c".
int raw_open(const char *path, const char *model, raw_store **store);
void raw_close(raw_store *store);

// One transaction: the message, its outbox row, the draft's end, the conversation's place in the list.
int raw_send(raw_store *store, const char *id, const char *body, int64_t now);
// One transaction: the draft's upsert with the next revision.
int raw_save_draft(raw_store *store, const char *id, const char *content, int64_t now);
// Reads the newest 100 rows of the timeline, every column, oldest last. Gives the bytes that were read.
int raw_last_100(raw_store *store, int64_t *bytes);

#endif

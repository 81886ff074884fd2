#include "raw_steps.h"

static int find_conversation(raw_store *store, const char *conversation) {
  sqlite3_stmt *statement = prepared(store, FIND_CONVERSATION);
  text(statement, 1, conversation);
  int64_t found = 0;
  return run(statement, &found) && found == 1;
}

// MARK: - Send

static int insert_message(raw_store *store, const char *message, const char *conversation,
                          const char *sender, const char *body, int64_t now) {
  sqlite3_stmt *insert = prepared(store, INSERT_MESSAGE);
  text(insert, 1, message);
  text(insert, 2, conversation);
  sqlite3_bind_int64(insert, 4, (int64_t)1 << 62);
  text(insert, 5, sender);
  text(insert, 6, "user");
  sqlite3_bind_int64(insert, 7, now);
  sqlite3_bind_int(insert, 8, 0);
  text(insert, 9, body);
  sqlite3_stmt *enqueue = prepared(store, INSERT_OUTBOX);
  text(enqueue, 1, message);
  text(enqueue, 2, conversation);
  sqlite3_bind_int64(enqueue, 3, now);
  return run(insert, NULL) && run(enqueue, NULL);
}

static int note_send(raw_store *store, const char *message, const char *conversation, const char *title,
                     int64_t now, int ends_draft) {
  int64_t revision = 0;
  if (!next_revision(store, &revision)) return 0;
  sqlite3_stmt *note = prepared(store, NOTE_SEND);
  sqlite3_bind_int64(note, 1, revision);
  sqlite3_bind_int64(note, 2, now);
  sqlite3_bind_int(note, 3, ends_draft);
  text(note, 4, message);
  text(note, 5, title);
  text(note, 6, conversation);
  return run(note, NULL);
}

static int delete_draft(raw_store *store, const char *conversation) {
  sqlite3_stmt *files = prepared(store, UNUSED_FILES);
  text(files, 1, conversation);
  text(files, 2, "new");
  int64_t unused = 0;
  if (!run(files, &unused) || unused) return 0;
  sqlite3_stmt *statement = prepared(store, DELETE_DRAFT);
  text(statement, 1, conversation);
  text(statement, 2, "new");
  int64_t saves = 0;
  if (!run(statement, &saves)) return 0;
  if (saves > 0) {
    sqlite3_stmt *count = prepared(store, COUNT_METRIC);
    text(count, 1, "draft_saves_count");
    sqlite3_bind_int64(count, 2, 0);
    sqlite3_bind_int64(count, 3, saves);
    if (!run(count, NULL)) return 0;
  }
  sqlite3_stmt *versions = prepared(store, DELETE_VERSIONS);
  text(versions, 1, conversation);
  text(versions, 2, "new");
  return run(versions, NULL);
}

static int64_t enqueue(raw_store *store, const char *message, const char *conversation, const char *sender,
                       const char *body, int64_t now, int ends_draft) {
  int64_t start = nanoseconds();
  int64_t span = 0, on_device = 0;
  int ok = run_plain(store, BEGIN_WRITE) && note_send(store, message, conversation, body, now, ends_draft) &&
           is_on_device(store, conversation, &on_device) && !on_device &&
           run(prepared(store, OUTBOX_SPAN), &span) && span < 100000 &&
           insert_message(store, message, conversation, sender, body, now) &&
           (!ends_draft || delete_draft(store, conversation)) && run_plain(store, COMMIT);
  return ok ? nanoseconds() - start : -1;
}

int64_t raw_send(raw_store *store, const char *message, const char *conversation, const char *sender,
                 const char *body, int64_t now) {
  return enqueue(store, message, conversation, sender, body, now, 1);
}

int64_t raw_send_without_draft(raw_store *store, const char *message, const char *conversation,
                               const char *sender, const char *body, int64_t now) {
  return enqueue(store, message, conversation, sender, body, now, 0);
}

// MARK: - Draft

int64_t raw_save_draft(raw_store *store, const char *draft, const char *conversation, const char *content,
                       const char *session, int64_t now) {
  int64_t start = nanoseconds();
  int64_t revision = 0;
  if (!run_plain(store, BEGIN_WRITE) || !find_conversation(store, conversation) ||
      !next_revision(store, &revision))
    return -1;
  sqlite3_stmt *upsert = prepared(store, UPSERT_DRAFT);
  text(upsert, 1, draft);
  text(upsert, 2, conversation);
  text(upsert, 3, "new");
  text(upsert, 5, content);
  text(upsert, 10, conversation);
  sqlite3_bind_int64(upsert, 11, revision);
  text(upsert, 12, session);
  sqlite3_bind_int64(upsert, 13, now);
  return run(upsert, NULL) && run_plain(store, COMMIT) ? nanoseconds() - start : -1;
}

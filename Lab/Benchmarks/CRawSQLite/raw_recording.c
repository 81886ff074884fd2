#include "raw_recording.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// The engine's connections are its own: SQLite's automatic extensions are the one place where every
// connection of the process, the engine's and this target's, passes by when it is opened.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_recording = 0;
static char *recording = NULL;
static size_t length = 0;

static void append(const char *text) {
  size_t count = strlen(text);
  char *grown = realloc(recording, length + count + 2);
  if (!grown) abort();
  recording = grown;
  memcpy(recording + length, text, count);
  length += count;
  recording[length++] = 0x1E;
  recording[length] = 0;
}

static int statement_started(unsigned kind, void *context, void *statement, void *text) {
  (void)kind, (void)context, (void)statement;
  pthread_mutex_lock(&lock);
  if (is_recording) append(text);
  pthread_mutex_unlock(&lock);
  return 0;
}

static int connection_opened(sqlite3 *db, const char **error, const struct sqlite3_api_routines *routines) {
  (void)error, (void)routines;
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, statement_started, NULL);
}

void raw_recording_install(void) { sqlite3_auto_extension((void (*)(void))connection_opened); }

void raw_recording_uninstall(void) { sqlite3_cancel_auto_extension((void (*)(void))connection_opened); }

void raw_recording_start(void) {
  pthread_mutex_lock(&lock);
  is_recording = 1;
  length = 0;
  pthread_mutex_unlock(&lock);
}

const char *raw_recording_stop(void) {
  pthread_mutex_lock(&lock);
  is_recording = 0;
  pthread_mutex_unlock(&lock);
  return length > 0 ? recording : "";
}

#include "sync_counting.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>

// The system's VFS opens each file as ever, in the same memory. Then the file gets a copy of its table of methods, in
// which xSync counts. All other methods are the system's own.

typedef struct counted_methods {
  // The first, so that a file's table leads to the one that it was copied from.
  sqlite3_io_methods methods;
  const sqlite3_io_methods *system;
} counted_methods;

// The system has one table for each way to lock a file, and is given one here. They are never freed, because a file may
// be closed after the counting.
enum { most_tables = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static counted_methods tables[most_tables];
static sqlite3_vfs *system_vfs;
static sqlite3_vfs counting_vfs;
static _Atomic int64_t syncs;

static int file_sync(sqlite3_file *file, int flags) {
  atomic_fetch_add(&syncs, 1);
  return ((const counted_methods *)file->pMethods)->system->xSync(file, flags);
}

// The table that counts and otherwise does what `system` does.
static const sqlite3_io_methods *counted(const sqlite3_io_methods *system) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < most_tables && tables[i].system && tables[i].system != system) i++;
  if (i == most_tables) abort();
  if (!tables[i].system) {
    tables[i].methods = *system;
    tables[i].methods.xSync = file_sync;
    tables[i].system = system;
  }
  pthread_mutex_unlock(&lock);
  return &tables[i].methods;
}

static int open_counted(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  (void)vfs;
  int result = system_vfs->xOpen(system_vfs, name, file, flags, flags_out);
  // A file that was not opened has methods only when it has to be closed.
  if (result == SQLITE_OK && file->pMethods) file->pMethods = counted(file->pMethods);
  return result;
}

void sync_counting_install(void) {
  sqlite3_vfs *present = sqlite3_vfs_find(NULL);
  if (!present || present == &counting_vfs) return;
  system_vfs = present;
  counting_vfs = *present;
  counting_vfs.pNext = NULL;
  counting_vfs.zName = "sync-counting";
  counting_vfs.xOpen = open_counted;
  sqlite3_vfs_register(&counting_vfs, 1);
}

void sync_counting_uninstall(void) { sqlite3_vfs_unregister(&counting_vfs); }

int64_t sync_counting_count(void) { return atomic_load(&syncs); }

#ifndef DISK_FAULTS_H
#define DISK_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

// A disk under SQLite that fails when it is told to: a sqlite3_vfs (https://www.sqlite.org/vfs.html) that hands every
// call on to the system's own, counts those that change something in one folder, and refuses the n-th, or takes the
// power away there.
//
// It does not see files that are written without SQLite, and it does not forget the names of files: what is created is
// there after a loss of power, and what is deleted is gone.

typedef struct disk disk;

enum disk_operation {
  disk_write = 1,
  disk_truncate = 2,
  disk_sync = 4,
  disk_open = 8,
  disk_delete = 16,
};

enum disk_failure {
  disk_no_failure,
  // ENOSPC: SQLite hears that the disk is full.
  disk_full,
  // EIO: SQLite hears that the disk could not do it.
  disk_error,
  // Nothing of the operation is done, and the machine is off: every later call fails.
  disk_power_loss,
};

// What becomes of what was written and not synced when the power goes.
enum disk_loss {
  // All of it is there, as when only the process had ended.
  disk_loses_nothing,
  // None of it is.
  disk_loses_all,
  // Some writes are there and some are not, in any order; some only in part, in sectors of 512 bytes.
  disk_loses_some,
};

// Makes this the VFS of every connection that is opened from now on in this process. Returns SQLite's code.
int disk_install(void);

// Watches the files below a folder that are opened from now on. NULL: there is no memory.
disk *disk_watch(const char *folder);

// Stops watching. Every connection to its files must be closed.
void disk_unwatch(disk *disk);

// From now on, the n-th of these operations (a set of enum disk_operation), counted from 1, fails, and those of them
// that follow it up to `count` in all. Counting starts anew.
void disk_fail(disk *disk, int operations, int64_t n, int64_t count, enum disk_failure failure);

// The same for a loss of power. `seed` draws what is lost of what was not synced.
void disk_lose_power(disk *disk, int operations, int64_t n, enum disk_loss loss, uint64_t seed);

// Nothing fails any more; a machine that is off is on again, with what is on its disk. Every connection must be closed.
void disk_heal(disk *disk);

// How many operations of these kinds there were since the disk was watched.
int64_t disk_count(disk *disk, int operations);

// Whether the failure that was asked for has come.
bool disk_has_failed(disk *disk);

#endif

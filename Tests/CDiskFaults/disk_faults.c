#include "disk_faults.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sector = 512, kinds = 5 };

// One write or truncation that is not synced, with what it replaced.
typedef struct change {
  struct change *earlier;
  bool is_truncation;
  int64_t offset;
  // Of a write: what it wrote. Of both: what was there before, up to the end of the file.
  int length, replaced_length;
  unsigned char *bytes, *replaced;
  int64_t size_before;
} change;

typedef struct watched_file {
  struct watched_file *next;
  char *path;
  change *latest;
} watched_file;

struct disk {
  struct disk *next;
  char *folder;
  watched_file *files;
  int64_t counts[kinds];
  int operations;
  int64_t seen, first, last;
  enum disk_failure failure;
  enum disk_loss loss;
  uint64_t seed;
  bool is_off, has_failed;
};

typedef struct open_file {
  sqlite3_file base;
  disk *disk;
  watched_file *watched;
  sqlite3_file *real;
} open_file;

// One lock for all disks: tests are not in a hurry, and a file may outlive its disk.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static disk *disks;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs faulty_vfs;

static uint64_t draw(disk *disk) {
  // splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
  uint64_t z = (disk->seed += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static void free_change(change *change) {
  free(change->bytes);
  free(change->replaced);
  free(change);
}

static void forget_changes(watched_file *file) {
  while (file->latest) {
    change *change = file->latest;
    file->latest = change->earlier;
    free_change(change);
  }
}

static void put(int descriptor, const unsigned char *bytes, int length, int64_t offset) {
  while (length > 0) {
    ssize_t written = pwrite(descriptor, bytes, (size_t)length, offset);
    if (written <= 0) abort();
    bytes += written;
    length -= (int)written;
    offset += written;
  }
}

static void cut(int descriptor, int64_t size) {
  if (ftruncate(descriptor, size) != 0) abort();
}

// Puts back what the changes replaced, and does some of them again. Frees them.
static void lose(disk *disk, watched_file *file) {
  if (disk->loss == disk_loses_nothing || !file->latest) return forget_changes(file);
  int descriptor = open(file->path, O_RDWR);
  if (descriptor < 0) return forget_changes(file);
  change *first = NULL;
  while (file->latest) {
    change *change = file->latest;
    file->latest = change->earlier;
    put(descriptor, change->replaced, change->replaced_length, change->offset);
    cut(descriptor, change->size_before);
    change->earlier = first;
    first = change;
  }
  while (first) {
    change *change = first;
    first = change->earlier;
    uint64_t dice = draw(disk) % 4;
    if (disk->loss == disk_loses_some && dice > 0) {
      if (change->is_truncation) {
        cut(descriptor, change->offset);
      } else if (dice == 1) {
        // A part of it: up to a sector's end, or from one on.
        int sectors = change->length / sector;
        int place = sectors > 0 ? (int)(draw(disk) % (uint64_t)(sectors + 1)) * sector : 0;
        if (draw(disk) % 2) {
          put(descriptor, change->bytes, place, change->offset);
        } else {
          put(descriptor, change->bytes + place, change->length - place, change->offset + place);
        }
      } else {
        put(descriptor, change->bytes, change->length, change->offset);
      }
    }
    free_change(change);
  }
  close(descriptor);
}

static void turn_off(disk *disk) {
  disk->is_off = true;
  for (watched_file *file = disk->files; file; file = file->next) lose(disk, file);
}

static int kind_of(int operation) {
  int kind = 0;
  while (operation > 1) {
    operation >>= 1;
    kind++;
  }
  return kind;
}

// Counts an operation, and says what becomes of it. The lock is held.
static enum disk_failure pass(disk *disk, int operation) {
  if (disk->is_off) return disk_power_loss;
  disk->counts[kind_of(operation)]++;
  if (disk->failure == disk_no_failure || !(disk->operations & operation)) return disk_no_failure;
  disk->seen++;
  if (disk->seen < disk->first || disk->seen > disk->last) return disk_no_failure;
  disk->has_failed = true;
  return disk->failure;
}

static int code_of(enum disk_failure failure, int error) {
  // ENOSPC has a code of its own only where something is written.
  return failure == disk_full && error == SQLITE_IOERR_WRITE ? SQLITE_FULL : error;
}

// The change that is about to be made, remembered until it is synced. The lock is held.
static int remember(open_file *file, bool is_truncation, const void *bytes, int length, int64_t offset) {
  sqlite3_int64 size = 0;
  int code = file->real->pMethods->xFileSize(file->real, &size);
  if (code != SQLITE_OK) return code;
  int64_t end = is_truncation ? size : offset + length;
  if (end > size) end = size;
  int64_t replaced = end > offset ? end - offset : 0;
  change *made = calloc(1, sizeof(change));
  if (!made) return SQLITE_NOMEM;
  made->is_truncation = is_truncation;
  made->offset = offset;
  made->length = length;
  made->size_before = size;
  made->replaced_length = (int)replaced;
  made->bytes = malloc((size_t)length + 1);
  made->replaced = malloc((size_t)replaced + 1);
  if (!made->bytes || !made->replaced) {
    free_change(made);
    return SQLITE_NOMEM;
  }
  if (length > 0) memcpy(made->bytes, bytes, (size_t)length);
  if (replaced > 0) {
    code = file->real->pMethods->xRead(file->real, made->replaced, (int)replaced, offset);
    if (code != SQLITE_OK) {
      free_change(made);
      return code;
    }
  }
  made->earlier = file->watched->latest;
  file->watched->latest = made;
  return SQLITE_OK;
}

static int change_file(open_file *file, bool is_truncation, const void *bytes, int length, int64_t offset) {
  disk *disk = file->disk;
  pthread_mutex_lock(&lock);
  enum disk_failure failure = pass(disk, is_truncation ? disk_truncate : disk_write);
  int code = SQLITE_OK;
  if (failure == disk_power_loss) {
    if (!disk->is_off) {
      // It was on its way: a part of it may be there.
      (void)remember(file, is_truncation, bytes, length, offset);
      turn_off(disk);
    }
    code = is_truncation ? SQLITE_IOERR_TRUNCATE : SQLITE_IOERR_WRITE;
  } else if (failure != disk_no_failure) {
    code = code_of(failure, is_truncation ? SQLITE_IOERR_TRUNCATE : SQLITE_IOERR_WRITE);
  } else {
    code = remember(file, is_truncation, bytes, length, offset);
    if (code == SQLITE_OK) {
      code = is_truncation ? file->real->pMethods->xTruncate(file->real, offset)
                           : file->real->pMethods->xWrite(file->real, bytes, length, offset);
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static bool is_off(open_file *file) {
  if (!file->disk) return false;
  pthread_mutex_lock(&lock);
  bool is_off = file->disk && file->disk->is_off;
  pthread_mutex_unlock(&lock);
  return is_off;
}

static int file_close(sqlite3_file *base) {
  return ((open_file *)base)->real->pMethods->xClose(((open_file *)base)->real);
}

static int file_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
  open_file *file = (open_file *)base;
  if (is_off(file)) return SQLITE_IOERR_READ;
  return file->real->pMethods->xRead(file->real, bytes, length, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  open_file *file = (open_file *)base;
  if (file->disk) return change_file(file, false, bytes, length, offset);
  return file->real->pMethods->xWrite(file->real, bytes, length, offset);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  open_file *file = (open_file *)base;
  if (file->disk) return change_file(file, true, NULL, 0, size);
  return file->real->pMethods->xTruncate(file->real, size);
}

static int file_sync(sqlite3_file *base, int flags) {
  open_file *file = (open_file *)base;
  if (!file->disk) return file->real->pMethods->xSync(file->real, flags);
  pthread_mutex_lock(&lock);
  enum disk_failure failure = pass(file->disk, disk_sync);
  int code = SQLITE_OK;
  if (failure == disk_power_loss && !file->disk->is_off) turn_off(file->disk);
  if (failure != disk_no_failure) {
    code = SQLITE_IOERR_FSYNC;
  } else {
    code = file->real->pMethods->xSync(file->real, flags);
    if (code == SQLITE_OK) forget_changes(file->watched);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  open_file *file = (open_file *)base;
  if (is_off(file)) return SQLITE_IOERR_FSTAT;
  return file->real->pMethods->xFileSize(file->real, size);
}

static int file_lock(sqlite3_file *base, int level) {
  open_file *file = (open_file *)base;
  if (is_off(file)) return SQLITE_IOERR_LOCK;
  return file->real->pMethods->xLock(file->real, level);
}

static int file_unlock(sqlite3_file *base, int level) {
  return ((open_file *)base)->real->pMethods->xUnlock(((open_file *)base)->real, level);
}

static int file_check_lock(sqlite3_file *base, int *result) {
  return ((open_file *)base)->real->pMethods->xCheckReservedLock(((open_file *)base)->real, result);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  return ((open_file *)base)->real->pMethods->xFileControl(((open_file *)base)->real, operation, argument);
}

static int file_sector_size(sqlite3_file *base) {
  return ((open_file *)base)->real->pMethods->xSectorSize(((open_file *)base)->real);
}

static int file_characteristics(sqlite3_file *base) {
  return ((open_file *)base)->real->pMethods->xDeviceCharacteristics(((open_file *)base)->real);
}

static int file_shm_map(sqlite3_file *base, int page, int size, int extend, void volatile **memory) {
  return ((open_file *)base)->real->pMethods->xShmMap(((open_file *)base)->real, page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  return ((open_file *)base)->real->pMethods->xShmLock(((open_file *)base)->real, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *base) {
  ((open_file *)base)->real->pMethods->xShmBarrier(((open_file *)base)->real);
}

static int file_shm_unmap(sqlite3_file *base, int deletes) {
  return ((open_file *)base)->real->pMethods->xShmUnmap(((open_file *)base)->real, deletes);
}

// Version 2: without mapped reads, which would go past the disk.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// The disk that a path is on. The lock is held.
static disk *disk_of(const char *path) {
  for (disk *disk = path ? disks : NULL; disk; disk = disk->next) {
    size_t length = strlen(disk->folder);
    if (strncmp(path, disk->folder, length) == 0 && path[length] == '/') return disk;
  }
  return NULL;
}

static watched_file *watched_at(disk *disk, const char *path) {
  for (watched_file *file = disk->files; file; file = file->next) {
    if (strcmp(file->path, path) == 0) return file;
  }
  watched_file *file = calloc(1, sizeof(watched_file));
  if (!file) return NULL;
  file->path = strdup(path);
  if (!file->path) {
    free(file);
    return NULL;
  }
  file->next = disk->files;
  return disk->files = file;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  (void)vfs;
  open_file *file = (open_file *)base;
  memset(file, 0, sizeof(open_file));
  file->real = (sqlite3_file *)(file + 1);
  pthread_mutex_lock(&lock);
  disk *disk = disk_of(path);
  enum disk_failure failure = disk ? pass(disk, disk_open) : disk_no_failure;
  if (failure == disk_power_loss && !disk->is_off) turn_off(disk);
  if (disk && failure == disk_no_failure) {
    file->disk = disk;
    file->watched = watched_at(disk, path);
    if (!file->watched) failure = disk_error;
  }
  pthread_mutex_unlock(&lock);
  if (failure != disk_no_failure) return SQLITE_CANTOPEN;
  int code = system_vfs->xOpen(system_vfs, path, file->real, flags, out);
  // SQLite closes what has methods, even where opening failed.
  if (file->real->pMethods) file->base.pMethods = &methods;
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  pthread_mutex_lock(&lock);
  disk *disk = disk_of(path);
  enum disk_failure failure = disk ? pass(disk, disk_delete) : disk_no_failure;
  if (failure == disk_power_loss && !disk->is_off) turn_off(disk);
  if (disk && failure == disk_no_failure) {
    watched_file *file = watched_at(disk, path);
    if (file) forget_changes(file);
  }
  pthread_mutex_unlock(&lock);
  if (failure != disk_no_failure) return SQLITE_IOERR_DELETE;
  return system_vfs->xDelete(system_vfs, path, syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  return system_vfs->xAccess(system_vfs, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int length, char *full) {
  (void)vfs;
  return system_vfs->xFullPathname(system_vfs, path, length, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int length, char *bytes) {
  (void)vfs;
  return system_vfs->xRandomness(system_vfs, length, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return system_vfs->xSleep(system_vfs, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return system_vfs->xCurrentTime(system_vfs, time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int length, char *text) {
  (void)vfs;
  return system_vfs->xGetLastError(system_vfs, length, text);
}

static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return system_vfs->xCurrentTimeInt64(system_vfs, time);
}

int disk_install(void) {
  pthread_mutex_lock(&lock);
  int code = SQLITE_OK;
  if (!system_vfs) {
    code = sqlite3_initialize();
    sqlite3_vfs *found = code == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (code == SQLITE_OK && (!found || found->iVersion < 2)) code = SQLITE_ERROR;
    if (code == SQLITE_OK) {
      system_vfs = found;
      faulty_vfs = (sqlite3_vfs){
          .iVersion = 2,
          .szOsFile = (int)sizeof(open_file) + found->szOsFile,
          .mxPathname = found->mxPathname,
          .zName = "faulty",
          .xOpen = vfs_open,
          .xDelete = vfs_delete,
          .xAccess = vfs_access,
          .xFullPathname = vfs_full_path,
          .xRandomness = vfs_randomness,
          .xSleep = vfs_sleep,
          .xCurrentTime = vfs_time,
          .xGetLastError = vfs_last_error,
          .xCurrentTimeInt64 = vfs_time64,
      };
      code = sqlite3_vfs_register(&faulty_vfs, 1);
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

disk *disk_watch(const char *folder) {
  disk *made = calloc(1, sizeof(disk));
  if (!made) return NULL;
  made->folder = strdup(folder);
  if (!made->folder) {
    free(made);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  made->next = disks;
  disks = made;
  pthread_mutex_unlock(&lock);
  return made;
}

void disk_unwatch(disk *disk) {
  pthread_mutex_lock(&lock);
  struct disk **place = &disks;
  while (*place != disk) place = &(*place)->next;
  *place = disk->next;
  while (disk->files) {
    watched_file *file = disk->files;
    disk->files = file->next;
    forget_changes(file);
    free(file->path);
    free(file);
  }
  free(disk->folder);
  free(disk);
  pthread_mutex_unlock(&lock);
}

static void arm(disk *disk, int operations, int64_t n, int64_t count, enum disk_failure failure) {
  disk->operations = operations;
  disk->seen = 0;
  disk->first = n;
  disk->last = count > INT64_MAX - n ? INT64_MAX : n + count - 1;
  disk->failure = failure;
  disk->has_failed = false;
}

void disk_fail(disk *disk, int operations, int64_t n, int64_t count, enum disk_failure failure) {
  pthread_mutex_lock(&lock);
  arm(disk, operations, n, count, failure);
  pthread_mutex_unlock(&lock);
}

void disk_lose_power(disk *disk, int operations, int64_t n, enum disk_loss loss, uint64_t seed) {
  pthread_mutex_lock(&lock);
  arm(disk, operations, n, 1, disk_power_loss);
  disk->loss = loss;
  disk->seed = seed;
  pthread_mutex_unlock(&lock);
}

void disk_heal(disk *disk) {
  pthread_mutex_lock(&lock);
  disk->failure = disk_no_failure;
  disk->is_off = false;
  pthread_mutex_unlock(&lock);
}

int64_t disk_count(disk *disk, int operations) {
  pthread_mutex_lock(&lock);
  int64_t count = 0;
  for (int kind = 0; kind < kinds; kind++) {
    if (operations & (1 << kind)) count += disk->counts[kind];
  }
  pthread_mutex_unlock(&lock);
  return count;
}

bool disk_has_failed(disk *disk) {
  pthread_mutex_lock(&lock);
  bool has_failed = disk->has_failed;
  pthread_mutex_unlock(&lock);
  return has_failed;
}

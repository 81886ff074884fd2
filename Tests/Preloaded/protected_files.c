// Refuses the bytes of one folder's files, as iOS does while the device is locked: opening, reading and writing fail
// with EPERM. Names, sizes and folders stay visible, and files can be renamed and removed.
//
// Environment of the process into which the library is preloaded:
//
//   PROTECTED_FOLDER  the absolute path of the folder, without symbolic links
//   PROTECTED_WHILE   the path of a file: the device is locked while the file exists
//   PROTECTED_AFTER   a number n: the call after n calls for files of the folder locks the device, by making that file.
//                     Without this variable the device is locked by others alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char *folder, *flag;
static atomic_long calls_left = -1;

__attribute__((constructor)) static void read_environment(void) {
  folder = getenv("PROTECTED_FOLDER");
  flag = getenv("PROTECTED_WHILE");
  const char *after = getenv("PROTECTED_AFTER");
  if (after) calls_left = atol(after);
}

/// Whether a path lies in the folder, and is not a folder itself. A file that does not exist yet counts.
static bool is_inside(const char *path) {
  if (!folder || !flag) return false;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || path[length] != '/') return false;
  struct stat status;
  return stat(path, &status) != 0 || !S_ISDIR(status.st_mode);
}

static bool is_locked(void) {
  long left = atomic_load(&calls_left);
  while (left >= 0 && !atomic_compare_exchange_weak(&calls_left, &left, left - 1)) {}
  if (left == 0) {
    long made = syscall(SYS_openat, AT_FDCWD, flag, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (made >= 0) syscall(SYS_close, made);
  }
  return access(flag, F_OK) == 0;
}

/// Whether a call for the path is refused. Sets `errno` if so.
static bool is_refused(const char *path) {
  int before = errno;
  bool refused = is_inside(path) && is_locked();
  errno = refused ? EPERM : before;
  return refused;
}

static bool is_descriptor_refused(int descriptor) {
  if (!folder || !flag) return false;
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length <= 0) return false;
  path[length] = 0;
  return is_refused(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
  }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    static __typeof__(&name) real; \
    MODE(flags) \
    if (!real) real = REAL(name); \
    return is_refused(path) ? -1 : real(path, flags, mode); \
  }

// Paths that are relative to an open folder are let through: SQLite and the engine use absolute ones.
#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    static __typeof__(&name) real; \
    MODE(flags) \
    if (!real) real = REAL(name); \
    return is_refused(path) ? -1 : real(at, path, flags, mode); \
  }

#define TRANSFER(name, result, parameters, arguments) \
  result name parameters { \
    static __typeof__(&name) real; \
    if (!real) real = REAL(name); \
    return is_descriptor_refused(descriptor) ? -1 : real arguments; \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
TRANSFER(read, ssize_t, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count))
TRANSFER(write, ssize_t, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
TRANSFER(pread, ssize_t, (int descriptor, void *bytes, size_t count, off_t at), (descriptor, bytes, count, at))
TRANSFER(pread64, ssize_t, (int descriptor, void *bytes, size_t count, off64_t at), (descriptor, bytes, count, at))
TRANSFER(pwrite, ssize_t, (int descriptor, const void *bytes, size_t count, off_t at), (descriptor, bytes, count, at))
TRANSFER(pwrite64, ssize_t, (int descriptor, const void *bytes, size_t count, off64_t at), (descriptor, bytes, count, at))

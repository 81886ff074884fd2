// Records the calls of a process for the files of one folder, in their order, so that a test can tell whether a file is
// synced before its process says that it is stored.
//
// Environment of the process into which the library is preloaded:
//
//   RECORDED_FOLDER  the absolute path of the folder, without symbolic links
//   RECORDED_LOG     the path of a file outside of the folder, to which one line is added for each call:
//                      create PATH | write PATH | sync PATH | rename PATH PATH
//                    PATH is relative to the folder, and "." is the folder itself. "say TEXT" is written to the log for
//                    standard output that contains the text of RECORDED_TEXT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char *folder, *text;
static int log_file = -1;

__attribute__((constructor)) static void read_environment(void) {
  folder = getenv("RECORDED_FOLDER");
  text = getenv("RECORDED_TEXT");
  const char *path = getenv("RECORDED_LOG");
  if (folder && path) log_file = syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
}

static void record(const char *call, const char *path, const char *target) {
  if (log_file < 0) return;
  int before = errno;
  char line[3 * PATH_MAX];
  int length = snprintf(line, sizeof line, "%s %s%s%s\n", call, path, target ? " " : "", target ? target : "");
  if (length > 0) syscall(SYS_write, log_file, line, (size_t)length);
  errno = before;
}

/// The path from the folder. NULL when it lies elsewhere.
static const char *relative(const char *path) {
  if (!folder || !path) return NULL;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (!path[length] || !strcmp(path + length, "/")) return ".";
  return path[length] == '/' ? path + length + 1 : NULL;
}

static void record_descriptor(const char *call, int descriptor) {
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length <= 0) return;
  path[length] = 0;
  const char *place = relative(path);
  if (place) record(call, place, NULL);
}

static void record_output(int descriptor, const void *bytes, size_t count) {
  if (descriptor == STDOUT_FILENO && text && memmem(bytes, count, text, strlen(text))) record("say", text, NULL);
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
    bool is_new = (flags & O_CREAT) && relative(path) && access(path, F_OK) != 0; \
    int descriptor = real(path, flags, mode); \
    if (is_new && descriptor >= 0) record("create", relative(path), NULL); \
    return descriptor; \
  }

#define SYNC(name) \
  int name(int descriptor) { \
    static __typeof__(&name) real; \
    if (!real) real = REAL(name); \
    int result = real(descriptor); \
    if (result == 0) record_descriptor("sync", descriptor); \
    return result; \
  }

#define WRITE(name, parameters, arguments) \
  ssize_t name parameters { \
    static __typeof__(&name) real; \
    if (!real) real = REAL(name); \
    record_output(descriptor, bytes, count); \
    ssize_t written = real arguments; \
    if (written >= 0 && descriptor > STDERR_FILENO) record_descriptor("write", descriptor); \
    return written; \
  }

OPEN(open)
OPEN(open64)
SYNC(fsync)
SYNC(fdatasync)
WRITE(write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
WRITE(pwrite, (int descriptor, const void *bytes, size_t count, off_t at), (descriptor, bytes, count, at))
WRITE(pwrite64, (int descriptor, const void *bytes, size_t count, off64_t at), (descriptor, bytes, count, at))

int mkdir(const char *path, mode_t mode) {
  static __typeof__(&mkdir) real;
  if (!real) real = REAL(mkdir);
  int result = real(path, mode);
  if (result == 0 && relative(path)) record("create", relative(path), NULL);
  return result;
}

int rename(const char *from, const char *to) {
  static __typeof__(&rename) real;
  if (!real) real = REAL(rename);
  int result = real(from, to);
  if (result == 0 && relative(from) && relative(to)) record("rename", relative(from), relative(to));
  return result;
}

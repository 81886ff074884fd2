// Tells Thread Sanitizer of each contended lock of Synchronization.Mutex.
//
// On Linux, a Mutex that another thread holds is handed over inside the kernel (FUTEX_LOCK_PI in futex(2)), by functions
// of Swift's runtime that are built without the sanitizer. Without this library, the sanitizer sees no order between the
// two threads and reports a race for each value that a Mutex guards. An uncontended lock needs no help: it is inlined
// into instrumented code.
//
// scripts/sanitize.sh preloads the library, so that these functions are found before those of the runtime.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The library is loaded into processes without the sanitizer too, such as the one that starts the tests.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK_SLOW);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  static SWIFT void (*real)(uint32_t, SELF void *);
  if (!real) real = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK_SLOW);
  real(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
  static SWIFT bool (*real)(SELF void *);
  if (!real) real = (SWIFT bool (*)(SELF void *))dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
  bool isLocked = real(mutex);
  if (isLocked && __tsan_acquire) __tsan_acquire(mutex);
  return isLocked;
}

SWIFT void unlock_slow(SELF void *mutex) {
  static SWIFT void (*real)(SELF void *);
  if (!real) real = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(mutex);
  real(mutex);
}

#include "memory.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif

void give_memory_back(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

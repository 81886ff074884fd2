#ifndef SYNC_COUNTING_H
#define SYNC_COUNTING_H

#include <stdint.h>

// Counts how often SQLite syncs a file in this process, the engine's files and this target's. What is synced without
// SQLite is not counted.

// The syncs of every connection opened from now on are counted. Not to be used while something is timed.
void sync_counting_install(void);
// Connections opened from now on are not counted. Those that are open already go on being counted.
void sync_counting_uninstall(void);

// The syncs since the process began.
int64_t sync_counting_count(void);

#endif

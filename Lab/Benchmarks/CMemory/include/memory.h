#ifndef HOLDFAST_BENCH_MEMORY_H
#define HOLDFAST_BENCH_MEMORY_H

// Gives memory that was freed back to the system, where the C library can.
void give_memory_back(void);

#endif

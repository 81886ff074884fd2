#ifndef HOLDFAST_SHA256_H
#define HOLDFAST_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 of FIPS 180-4, for platforms whose system has none.
typedef struct {
  uint32_t state[8];
  /// The bytes of a block that is not full yet.
  uint8_t block[64];
  size_t blockCount;
  uint64_t byteCount;
} holdfast_sha256;

void holdfast_sha256_begin(holdfast_sha256 *hash);
void holdfast_sha256_update(holdfast_sha256 *hash, const void *bytes, size_t count);
/// Writes the digest. The hash cannot be updated any more.
void holdfast_sha256_end(holdfast_sha256 *hash, uint8_t digest[32]);

#endif

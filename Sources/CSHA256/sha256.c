#include "sha256.h"

#include <string.h>


// FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t value, int count) { return value >> count | value << (32 - count); }

static uint32_t word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// FIPS 180-4, section 6.2.2.
static void take_block(uint32_t state[8], const uint8_t *block) {
  uint32_t schedule[64];
  for (int i = 0; i < 16; i++) schedule[i] = word(block + 4 * i);
  for (int i = 16; i < 64; i++) {
    uint32_t a = schedule[i - 15], b = schedule[i - 2];
    uint32_t small = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3;
    uint32_t large = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10;
    schedule[i] = schedule[i - 16] + small + schedule[i - 7] + large;
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; i++) {
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + constants[i] + schedule[i];
    uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void take_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
  for (; count > 0; count--, bytes += 64) take_block(state, bytes);
}

void holdfast_sha256_begin(holdfast_sha256 *hash) {
  // FIPS 180-4, section 5.3.3.
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, first, sizeof first);
  hash->blockCount = 0;
  hash->byteCount = 0;
}

void holdfast_sha256_update(holdfast_sha256 *hash, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  if (count == 0) return;
  hash->byteCount += count;
  if (hash->blockCount > 0) {
    size_t room = sizeof hash->block - hash->blockCount;
    size_t part = count < room ? count : room;
    memcpy(hash->block + hash->blockCount, next, part);
    hash->blockCount += part, next += part, count -= part;
    if (hash->blockCount < sizeof hash->block) return;
    take_blocks(hash->state, hash->block, 1);
    hash->blockCount = 0;
  }
  size_t whole = count / 64;
  take_blocks(hash->state, next, whole);
  next += whole * 64, count -= whole * 64;
  memcpy(hash->block, next, count);
  hash->blockCount = count;
}

void holdfast_sha256_end(holdfast_sha256 *hash, uint8_t digest[32]) {
  // FIPS 180-4, section 5.1.1: a one, zeros, and the number of bits in eight bytes.
  uint64_t bits = hash->byteCount * 8;
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  static const uint8_t padding[64] = {0x80};
  size_t zeros = hash->blockCount < 56 ? 56 - hash->blockCount : 120 - hash->blockCount;
  holdfast_sha256_update(hash, padding, zeros);
  holdfast_sha256_update(hash, length, sizeof length);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

/*===- counter_random.h - Random numbers by counter -----------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011). A draw is a function of (seed, site, element index):
// it depends on neither threads, sharding, micro-batches nor recomputation.
// Compiled kernels, runtime and reference interpreter all follow this header.
//
//===----------------------------------------------------------------------===*/

#ifndef NLPRT_COUNTER_RANDOM_H
#define NLPRT_COUNTER_RANDOM_H

#include <math.h>
#include <stdint.h>

/* FNV-1a hash of a site's or parameter's name: the second half of the key. */
static inline uint64_t nlprt_hash_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; ++name)
    hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
  return hash;
}

/* Mixes two words (splitmix64 finalizer of their combination). */
static inline uint64_t nlprt_mix(uint64_t a, uint64_t b) {
  uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Four 32-bit words for block `block`, with key mix(seed, site). */
static inline void nlprt_philox(uint64_t key, uint64_t block, uint32_t out[4]) {
  uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0;
    uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* The 32-bit draw of element `index`: word index % 4 of block index / 4. An
   element is dropped where draw < rate * 2^32 (as a 64-bit comparison with
   nlprt_drop_threshold). */
static inline uint32_t nlprt_draw(uint64_t key, uint64_t index) {
  uint32_t words[4];
  nlprt_philox(key, index >> 2, words);
  return words[index & 3];
}
static inline uint64_t nlprt_drop_threshold(double rate) {
  return (uint64_t)(rate * 4294967296.0);
}

/* A standard normal draw of element `index` (Box-Muller on two words of block
   index / 2). */
static inline double nlprt_normal(uint64_t key, uint64_t index) {
  uint32_t w[4];
  nlprt_philox(key, index >> 1, w);
  double u = ((double)w[0] + 1.0) * (1.0 / 4294967296.0); /* (0, 1] */
  double v = (double)w[1] * (1.0 / 4294967296.0);
  double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
  return (index & 1) ? radius * sin(angle) : radius * cos(angle);
}

#endif /* NLPRT_COUNTER_RANDOM_H */

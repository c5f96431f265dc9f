//===- CounterRandomTest.cpp - Known draws and their moments -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/DataOrder.h"
#include "core/Weights.h"
#include "nlprt/counter_random.h"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using Words = std::array<uint32_t, 4>;

/// Philox-4x32-10 with the whole counter, written from the paper.
static Words philox(Words c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
    c = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b),
         uint32_t(a >> 32) ^ c[3] ^ k[1], uint32_t(a)};
    k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
  }
  return c;
}

TEST(CounterRandom, KnownAnswers) {
  // The vectors published with the generator.
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, HeaderIsPhilox) {
  for (uint64_t i = 0; i < 1000; ++i) {
    uint64_t key = nlprt_mix(i, 1), block = nlprt_mix(i, 2) >> 2;
    Words got;
    nlprt_philox(key, block, got.data());
    EXPECT_EQ(got, philox({uint32_t(block), uint32_t(block >> 32), 0, 0},
                          {uint32_t(key), uint32_t(key >> 32)}));
    EXPECT_EQ(nlprt_draw(key, 4 * block + i % 4), got[i % 4]);
  }
}

TEST(CounterRandom, NormalMoments) {
  // Standard errors: mean 0.0022, variance 0.0032, fourth moment 0.022.
  double sums[5] = {};
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    double x = nlprt_normal(42, i), power = 1;
    for (double &sum : sums) {
      sum += power;
      power *= x;
    }
  }
  EXPECT_NEAR(sums[1] / count, 0, 0.01);
  EXPECT_NEAR(sums[2] / count, 1, 0.015);
  EXPECT_NEAR(sums[3] / count, 0, 0.04);
  EXPECT_NEAR(sums[4] / count, 3, 0.1);
}

TEST(CounterRandom, InitialValues) {
  // 5 elements: an odd count ends in half a pair.
  int64_t shape[] = {5};
  nlprt_parameter parameters[] = {
      {{"w", NLPRT_F32, 1, shape, 0, 20}, NLPRT_INIT_NORMAL, 0.5, 1, 0},
      {{"ones", NLPRT_BF16, 1, shape, 20, 10}, NLPRT_INIT_ONES, 0, 0, 0},
      {{"zeros", NLPRT_F64, 1, shape, 32, 40}, NLPRT_INIT_ZEROS, 0, 0, 0}};
  nlprt_program program = {};
  program.parameter_count = 3;
  program.parameters = parameters;
  alignas(64) char arena[80];
  std::fill_n(arena, sizeof(arena), 0x55);
  nlprt::initializeParameters(program, arena, 7);
  uint64_t key = nlprt_mix(7, nlprt_hash_name("w"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(reinterpret_cast<float *>(arena)[i],
              float(0.5 * nlprt_normal(key, i)));
    EXPECT_EQ(reinterpret_cast<uint16_t *>(arena + 20)[i], 0x3f80);
    EXPECT_EQ(reinterpret_cast<double *>(arena + 32)[i], 0.0);
  }
  EXPECT_EQ(arena[30], 0x55);
  EXPECT_EQ(arena[72], 0x55);
}

TEST(CounterRandom, ManyInitialValues) {
  // Pairs of draws come from sincos, single ones from sin or cos.
  constexpr int64_t count = 200001;
  int64_t shape[] = {count};
  nlprt_parameter parameter = {
      {"w", NLPRT_F64, 1, shape, 0, 8 * count}, NLPRT_INIT_NORMAL, 0.02, 1, 0};
  nlprt_program program = {};
  program.parameter_count = 1;
  program.parameters = &parameter;
  std::vector<double> arena(count);
  nlprt::initializeParameters(program, reinterpret_cast<char *>(arena.data()),
                              3);
  uint64_t key = nlprt_mix(3, nlprt_hash_name("w"));
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(arena[i], 0.02 * nlprt_normal(key, i)) << i;
}

TEST(CounterRandom, Permutation) {
  for (int64_t size : {1, 2, 3, 17, 64, 1000}) {
    std::set<int64_t> seen;
    int fixed = 0;
    for (int64_t i = 0; i < size; ++i) {
      int64_t to = nlprt::permuted(9, i, size);
      EXPECT_TRUE(to >= 0 && to < size && seen.insert(to).second);
      fixed += to == i;
    }
    if (size == 1000) { // one on average
      EXPECT_LT(fixed, 8);
    }
  }
  EXPECT_NE(nlprt::permuted(1, 5, 1000), nlprt::permuted(2, 5, 1000));
}

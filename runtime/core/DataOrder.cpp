//===- DataOrder.cpp - Which sequence comes when -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffling is a Feistel network over the smallest even number of bits that
// holds the size, walked until it lands inside: at most four walks on average.
//
//===----------------------------------------------------------------------===//

#include "core/DataOrder.h"
#include "core/Support.h"
#include "nlprt/counter_random.h"
#include <bit>

namespace nlprt {

int64_t permuted(uint64_t key, int64_t index, int64_t size) {
  if (size < 2)
    return 0;
  int half = (std::bit_width(static_cast<uint64_t>(size - 1)) + 1) / 2;
  uint64_t mask = (uint64_t(1) << half) - 1, value = index;
  do {
    uint64_t left = value >> half, right = value & mask;
    for (uint64_t round = 0; round < 6; ++round) {
      uint32_t words[4];
      nlprt_philox(nlprt_mix(key, round), right, words);
      uint64_t next = left ^ (words[0] & mask);
      left = right;
      right = next;
    }
    value = left << half | right;
  } while (value >= static_cast<uint64_t>(size));
  return static_cast<int64_t>(value);
}

DataOrder::DataOrder(const TokenFile &file, const std::string &path,
                     int64_t length, bool shuffled, uint64_t seed)
    : file(file), length(length), sequences((file.tokens() - 1) / length),
      shuffled(shuffled), seed(nlprt_mix(seed, nlprt_hash_name("data order"))) {
  if (file.tokens() < length + 1)
    throw Error(nlprt::format(
        "%s: expected at least %lld tokens (a sequence and its target), but "
        "got %lld",
        path.c_str(), static_cast<long long>(length + 1),
        static_cast<long long>(file.tokens())));
}

int64_t DataOrder::placeOf(int64_t number) const {
  int64_t place = number % sequences;
  if (!shuffled)
    return place;
  uint64_t epoch = static_cast<uint64_t>(number / sequences);
  return permuted(nlprt_mix(seed, epoch), place, sequences);
}

void DataOrder::read(int64_t number, int32_t *out) const {
  file.read(placeOf(number) * length, length + 1, out);
}

} // namespace nlprt

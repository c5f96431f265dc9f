//===- Dropout.cpp - Dropout by a counter-based generator -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The draws of counter_random.h, 16 Philox blocks at a time: lane l of word w
// is the draw of element 4 l + w, so four vectors of words are interleaved to
// the draws of 64 consecutive elements. Where a sequence's elements are not a
// multiple of four, elements do not start at a block's boundary, and every lane
// computes the block of its own element instead.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "nlprt/counter_random.h"

using namespace mlir;
using namespace nlp::rt;

/// The vector version of nlprt_mix, for scalars.
static Val mix(Val a, Val b) {
  auto word = [](uint64_t bits) { return static_cast<int64_t>(bits); };
  Val z = a + (b + 1) * word(0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * word(0xbf58476d1ce4e5b9u);
  z = (z ^ (z >> 27)) * word(0x94d049bb133111ebu);
  return z ^ (z >> 31);
}

/// nlprt_philox for 16 block numbers. Words are kept in the low halves of
/// 64-bit lanes, whose high halves hold what is left of products: a product of
/// low halves is then one instruction.
static std::array<Val, 4> philox(KernelBuilder &kernel, Val key, Val blocks) {
  auto times = [](Val word, int64_t factor) {
    return (word & 0xffffffff) * factor;
  };
  Val c0 = blocks, c1 = blocks >> 32;
  Val c2 = constantLike(0, c0), c3 = c2;
  Val k0 = key, k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    Val p0 = times(c0, 0xD2511F53), p1 = times(c2, 0xCD9E8D57);
    c0 = (p1 >> 32) ^ c1 ^ k0;
    c2 = (p0 >> 32) ^ c3 ^ k1;
    c1 = p1;
    c3 = p0;
    k0 = k0 + 0x9E3779B9;
    k1 = k1 + 0xBB67AE85;
  }
  auto low = [&](Val wide) { return kernel.convert(wide, kernel.i32()); };
  return {low(c0), low(c1), low(c2), low(c3)};
}

/// Draws of elements 4 * block ... 4 * block + 63, in order.
static std::array<Val, 4> drawAligned(KernelBuilder &kernel, Val key,
                                      Val block) {
  auto words = philox(kernel, key, block + kernel.lanes(kernel.i64()));
  std::array<Val, 4> draws;
  // Words 0 and 1, and 2 and 3, alternate; then pairs do.
  for (int part = 0; part < 2; ++part) {
    SmallVector<int32_t> alternate;
    for (int32_t lane = 8 * part; lane < 8 * part + 8; ++lane)
      alternate.append({lane, lane + 16});
    Val low = kernel.shuffle(words[0], words[1], alternate);
    Val high = kernel.shuffle(words[2], words[3], alternate);
    for (int quarter = 0; quarter < 2; ++quarter) {
      SmallVector<int32_t> pairs;
      for (int32_t lane = 8 * quarter; lane < 8 * quarter + 8; lane += 2)
        pairs.append({lane, lane + 1, lane + 16, lane + 17});
      draws[2 * part + quarter] = kernel.shuffle(low, high, pairs);
    }
  }
  return draws;
}

/// Draws of 16 elements whose first may have any number.
static Val drawAny(KernelBuilder &kernel, Val key, Val element) {
  Val elements = element + kernel.lanes(kernel.i64());
  auto words = philox(kernel, key, elements >> 2);
  Val word = kernel.convert(elements, kernel.i32()) & 3;
  return kernel.select(word < 2, kernel.select(word == 0, words[0], words[1]),
                       kernel.select(word == 2, words[2], words[3]));
}

void nlp::rt::generateDropout(const KernelRequest &request, StageSink &sink) {
  // in, seed, first_sequence -> out
  int64_t count = request.count(0);
  ArrayRef<int64_t> shape = request.buffers[0].getShape();
  int64_t perSequence = count / (shape.empty() ? 1 : shape[0]);
  double rate = request.getReal("rate");
  uint64_t site = request.getInt("site");
  if (request.params)
    if (auto name = request.params.getAs<StringAttr>("site"))
      site = nlprt_hash_name(name.str().c_str());
  auto threshold = static_cast<int64_t>(nlprt_drop_threshold(rate));
  sink.stage(
      llvm::divideCeil(count, kBlockElements), [&](KernelBuilder &kernel) {
        Val key = mix(kernel.loadScalar(kernel.buffer(1)),
                      kernel.index(static_cast<int64_t>(site)));
        Val first = kernel.loadScalar(kernel.buffer(2)) * perSequence;
        auto apply = [&](At at, Val draw) {
          Val x = kernel.load(kernel.buffer(0), at);
          Val dropped = below(draw, constantLike(threshold, draw));
          Val kept = x * (1.0 / (1.0 - rate));
          kernel.store(kernel.buffer(3), at,
                       kernel.select(dropped, constantLike(0.0, kept), kept));
        };
        if (perSequence % 4 != 0)
          return kernel.forFlat(count, kBlockElements, [&](At at) {
            apply(at, drawAny(kernel, key, first + at.index));
          });
        // Whole groups of four vectors, then what is left, vector by vector.
        int64_t whole = count - count % (4 * kLanes);
        Val high =
            kernel.min(kernel.end() * kBlockElements, kernel.index(whole));
        kernel.forRange(
            kernel.begin() * kBlockElements, high, 4 * kLanes, [&](Val i) {
              auto draws = drawAligned(kernel, key, (first + i) >> 2);
              for (auto [part, draw] : llvm::enumerate(draws))
                apply({i + part * kLanes, {}}, draw);
            });
        if (whole == count)
          return;
        kernel.ifThen(kernel.end() > (count - 1) / kBlockElements, [&] {
          kernel.forVectors(count - whole, [&](At at) {
            Val index = at.index + whole;
            apply({index, at.mask}, drawAny(kernel, key, first + index));
          });
        });
      });
}

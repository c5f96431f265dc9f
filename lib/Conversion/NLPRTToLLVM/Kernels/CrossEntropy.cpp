//===- CrossEntropy.cpp - Cross-entropy and its gradient --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the logits each. Forward goes through a row in chunks that fit
// the first cache level: the chunk's maximum first, then the sum of
// exponentials, to which earlier chunks are rescaled. Each chunk's maximum is
// found while the chunk before it is summed up, so that memory and arithmetic
// overlap. Losses of rows go to the
// workspace and are added in order, in f64. Backward may overwrite the logits.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include <limits>

using namespace mlir;
using namespace nlp::rt;

/// Logits between two rescalings.
static constexpr int64_t kChunk = 2048;
/// Elements between what is read first and what is fetched ahead of it: the
/// hardware's prefetchers stop at the end of each page of 1024.
static constexpr int64_t kFetchAhead = 2048;

int64_t nlp::rt::getCrossEntropyBytes(const KernelRequest &request) {
  return request.rows(0) * static_cast<int64_t>(sizeof(float));
}

namespace {
/// What is known of a row so far: the maximum, and the sum of exponentials
/// below it, in lanes.
struct RowState {
  Val largest, sum;
};
} // namespace

/// Extends `state` by `count` logits, whose maximum is `largestHere`. On the
/// way, the maximum of as many logits after them is found where `next` is
/// given: they come from memory while these are computed.
static RowState addChunk(KernelBuilder &kernel, Buffer logits, int64_t count,
                         RowState state, Val largestHere, Val *next) {
  Val largest = kernel.max(largestHere, state.largest);
  Val scale = kernel.exp(state.largest - largest);
  Val largestLanes = kernel.splat(largest);
  Vals init = {kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)};
  if (next)
    init.push_back(
        kernel.load(logits.from(kernel.index(count)), {kernel.index(0), {}}));
  Vals results = kernel.foldVectors(
      count, init,
      [&](At at, Vals values) {
        if (next) {
          kernel.prefetch(logits, at, count + kFetchAhead);
          Val later = kernel.load(logits, {at.index + count, at.mask});
          values[1] = kernel.max(later, values[1]);
        }
        Val power = kernel.expBelow(kernel.load(logits, at) - largestLanes);
        values[0] = values[0] + kernel.keep(at, power);
        return values;
      },
      [&](unsigned value, Val a, Val b) {
        return value ? kernel.max(a, b) : a + b;
      });
  if (next)
    *next = kernel.horizontalMax(results[1]);
  return {largest, state.sum * scale + results[0]};
}

/// The log of the sum of exponentials of a row.
static Val emitLogSum(KernelBuilder &kernel, Buffer logits, int64_t width) {
  int64_t chunks = width / kChunk, rest = width % kChunk;
  auto maximum = [&](Buffer from, int64_t count) {
    return kernel.maximum(count, [&](At at) { return kernel.load(from, at); });
  };
  // The lowest finite number: infinity less infinity is NaN.
  RowState state = {
      kernel.constant(kernel.f32(), -double(std::numeric_limits<float>::max())),
      kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)};
  if (chunks > 0) {
    Vals carried = kernel.forRange(
        kernel.index(0), kernel.index(chunks - 1), 1,
        {state.largest, state.sum, maximum(logits, kChunk)},
        [&](Val chunk, Vals before) {
          Val next;
          RowState after = addChunk(kernel, logits.from(chunk * kChunk), kChunk,
                                    {before[0], before[1]}, before[2], &next);
          return Vals{after.largest, after.sum, next};
        });
    Buffer last = logits.from(kernel.index((chunks - 1) * kChunk));
    state = addChunk(kernel, last, kChunk, {carried[0], carried[1]}, carried[2],
                     nullptr);
  }
  if (rest) {
    Buffer last = logits.from(kernel.index(chunks * kChunk));
    state = addChunk(kernel, last, rest, state, maximum(last, rest), nullptr);
  }
  return state.largest + kernel.log(kernel.horizontalSum(state.sum));
}

void nlp::rt::generateCrossEntropy(const KernelRequest &request,
                                   StageSink &sink) {
  // logits, targets -> loss, lse, workspace
  int64_t width = request.width(0), rows = request.rows(0);
  int64_t perItem = getRowsPerItem(width);
  double normalizer = request.getReal("normalizer", 1.0);
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer losses = {kernel.buffer(4).pointer, kernel.f32()};
    kernel.forRows(rows, perItem, [&](Val row) {
      Buffer logits = kernel.buffer(0).from(row * width);
      Val lse = emitLogSum(kernel, logits, width);
      kernel.storeScalar(kernel.buffer(3), row, lse);
      Val target = kernel.loadScalar(kernel.buffer(1), row);
      kernel.ifElse(
          target < 0,
          [&] {
            kernel.storeScalar(losses, row, kernel.constant(kernel.f32(), 0.0));
          },
          [&] {
            Val logit =
                kernel.loadScalar(logits, kernel.convert(target, kernel.i64()));
            kernel.storeScalar(losses, row, lse - logit);
          });
    });
  });
  sink.stage(1, [&](KernelBuilder &kernel) {
    Buffer losses = {kernel.buffer(4).pointer, kernel.f32()};
    Vals total = kernel.forRange(
        kernel.index(0), kernel.index(rows), 1,
        {kernel.constant(kernel.f64(), 0.0)}, [&](Val row, Vals sum) {
          Val loss =
              kernel.convert(kernel.loadScalar(losses, row), kernel.f64());
          return Vals{sum[0] + loss};
        });
    kernel.storeScalar(kernel.buffer(2), kernel.index(0),
                       kernel.convert(total[0] / normalizer, kernel.f32()));
  });
}

void nlp::rt::generateCrossEntropyGrad(const KernelRequest &request,
                                       StageSink &sink) {
  // loss_grad, logits, targets, lse -> logits_grad
  int64_t width = request.width(1), rows = request.rows(1);
  int64_t perItem = getRowsPerItem(width);
  double normalizer = request.getReal("normalizer", 1.0);
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Val lossGrad =
        kernel.convert(kernel.loadScalar(kernel.buffer(0)), kernel.f64());
    Val scale = kernel.convert(lossGrad / normalizer, kernel.f32());
    Val scaleLanes = kernel.splat(scale);
    kernel.forRows(rows, perItem, [&](Val row) {
      Buffer logits = kernel.buffer(1).from(row * width);
      Buffer grad = kernel.buffer(4).from(row * width);
      Val target = kernel.convert(kernel.loadScalar(kernel.buffer(2), row),
                                  kernel.i32());
      kernel.ifElse(
          target < 0,
          [&] {
            kernel.forVectors(width, [&](At at) {
              kernel.store(grad, at, kernel.constant(kernel.f32(), 0.0));
            });
          },
          [&] {
            Val lse = kernel.loadScalar(kernel.buffer(3), row);
            Val lseLanes = kernel.splat(lse);
            Val place = kernel.convert(target, kernel.i64());
            // Read first: the gradient may overwrite the logits.
            Val hit = kernel.exp(kernel.loadScalar(logits, place) - lse);
            kernel.forVectors(
                width,
                [&](At at) {
                  kernel.prefetch(logits, at, kFetchAhead);
                  Val power = kernel.exp(kernel.load(logits, at) - lseLanes);
                  kernel.store(grad, at, power * scaleLanes);
                },
                /*unroll=*/2);
            kernel.storeScalar(grad, place, (hit - 1.0) * scale);
          });
    });
  });
}

//===- CrossEntropy.cpp - Cross-entropy and its gradient --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the logits each. Forward goes through a row in chunks that fit
// the first cache level: the chunk's maximum first, then the sum of
// exponentials, to which earlier chunks are rescaled. Losses of rows go to the
// workspace and are added in order, in f64. Backward may overwrite the logits.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include <limits>

using namespace mlir;
using namespace nlp::rt;

/// Logits between two rescalings.
static constexpr int64_t kChunk = 2048;

int64_t nlp::rt::getCrossEntropyBytes(const KernelRequest &request) {
  return request.rows(0) * static_cast<int64_t>(sizeof(float));
}

/// Extends `state`, the maximum so far and the sum of exponentials below it in
/// lanes, by a chunk.
static Vals addChunk(KernelBuilder &kernel, Buffer logits, int64_t count,
                     Vals state) {
  Val largest = kernel.max(
      kernel.maximum(count, [&](At at) { return kernel.load(logits, at); }),
      state[0]);
  Val scale = kernel.exp(state[0] - largest);
  Val largestLanes = kernel.splat(largest);
  Vals sums = kernel.foldVectors(
      count, {kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)},
      [&](At at, Vals sum) {
        // The next chunk comes from memory while this one is computed.
        kernel.prefetch(logits, at, kChunk);
        Val power = kernel.expBelow(kernel.load(logits, at) - largestLanes);
        return Vals{sum[0] + kernel.keep(at, power)};
      },
      [](Val a, Val b) { return a + b; });
  return {largest, state[1] * scale + sums[0]};
}

void nlp::rt::generateCrossEntropy(const KernelRequest &request,
                                   StageSink &sink) {
  // logits, targets -> loss, lse, workspace
  int64_t width = request.width(0), rows = request.rows(0);
  int64_t perItem = getRowsPerItem(width), chunks = width / kChunk;
  double normalizer = request.getReal("normalizer", 1.0);
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer losses = {kernel.buffer(4).pointer, kernel.f32()};
    kernel.forRows(rows, perItem, [&](Val row) {
      Buffer logits = kernel.buffer(0).from(row * width);
      // The lowest finite number: infinity less infinity is NaN.
      Vals state = {kernel.constant(kernel.f32(),
                                    -double(std::numeric_limits<float>::max())),
                    kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)};
      state =
          kernel.forRange(kernel.index(0), kernel.index(chunks), 1, state,
                          [&](Val chunk, Vals before) {
                            return addChunk(kernel, logits.from(chunk * kChunk),
                                            kChunk, before);
                          });
      if (int64_t rest = width % kChunk)
        state = addChunk(kernel, logits.from(kernel.index(chunks * kChunk)),
                         rest, state);
      Val lse = state[0] + kernel.log(kernel.horizontalSum(state[1]));
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
                  Val power = kernel.exp(kernel.load(logits, at) - lseLanes);
                  kernel.store(grad, at, power * scaleLanes);
                },
                /*unroll=*/2);
            kernel.storeScalar(grad, place, (hit - 1.0) * scale);
          });
    });
  });
}

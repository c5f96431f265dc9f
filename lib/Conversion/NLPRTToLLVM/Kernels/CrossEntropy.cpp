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
// overlap. A chunk has a piece of each eighth of the row: a core reads several
// streams up to half as fast again as one, since its prefetchers keep so many
// lines of one page on their way and no more. Losses of rows go to the
// workspace and are added in order, in f64. Backward may overwrite the logits.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include <limits>

using namespace mlir;
using namespace nlp::rt;

/// Parts of a row that are read side by side.
static constexpr int64_t kStreams = 8;
/// Logits of each part between two rescalings.
static constexpr int64_t kPiece = 256;
/// Elements between what is read first and what is fetched ahead of it: the
/// hardware's prefetchers stop at the end of each page of 1024.
static constexpr int64_t kFetchAhead = 1024;

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

static RowState startRow(KernelBuilder &kernel) {
  // The lowest finite number: infinity less infinity is NaN.
  return {
      kernel.constant(kernel.f32(), -double(std::numeric_limits<float>::max())),
      kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)};
}

/// Extends `state` by pieces of `count` logits of each of `streams`, whose
/// maximum is `largestHere`. On the way, the maximum of as many logits after
/// them is found where `next` is given: they come from memory while these are
/// computed.
static RowState addPieces(KernelBuilder &kernel, ArrayRef<Buffer> streams,
                          int64_t count, RowState state, Val largestHere,
                          Val *next) {
  Val largest = kernel.max(largestHere, state.largest);
  Val scale = kernel.exp(state.largest - largest);
  Val largestLanes = kernel.splat(largest);
  // A sum for each stream, and then a maximum for each.
  Vals init(streams.size(),
            kernel.constant(kernel.vectorOf(kernel.f32()), 0.0));
  if (next)
    init.append(streams.size(),
                kernel.load(streams[0].from(kernel.index(count)),
                            {kernel.index(0), {}}));
  Vals results = kernel.foldVectors(
      count, init,
      [&](At at, Vals values) {
        for (auto [s, logits] : llvm::enumerate(streams)) {
          if (next) {
            kernel.prefetch(logits, at, count + kFetchAhead);
            Val later = kernel.load(logits, {at.index + count, at.mask});
            Val &most = values[streams.size() + s];
            most = kernel.max(later, most);
          }
          Val power = kernel.expBelow(kernel.load(logits, at) - largestLanes);
          values[s] = values[s] + kernel.keep(at, power);
        }
        return values;
      },
      [&](unsigned value, Val a, Val b) {
        return value < streams.size() ? a + b : kernel.max(a, b);
      },
      streams.size() == 1 ? 4 : 1);
  auto fold = [&](size_t first, auto combine) {
    Val all = results[first];
    for (size_t s = 1; s < streams.size(); ++s)
      all = combine(all, results[first + s]);
    return all;
  };
  Val sum = fold(0, [](Val a, Val b) { return a + b; });
  if (next)
    *next = kernel.horizontalMax(
        fold(streams.size(), [&](Val a, Val b) { return kernel.max(a, b); }));
  return {largest, state.sum * scale + sum};
}

/// The largest of the first `count` logits of each of `streams`.
static Val findLargest(KernelBuilder &kernel, ArrayRef<Buffer> streams,
                       int64_t count) {
  auto maximum = [&](Buffer logits) {
    return kernel.maximum(count,
                          [&](At at) { return kernel.load(logits, at); });
  };
  Val largest = maximum(streams[0]);
  for (Buffer logits : streams.drop_front())
    largest = kernel.max(largest, maximum(logits));
  return largest;
}

/// The log of the sum of exponentials of a row.
static Val emitLogSum(KernelBuilder &kernel, Buffer logits, int64_t width) {
  int64_t pieces = width / (kStreams * kPiece);
  int64_t streamed = pieces * kStreams * kPiece, rest = width - streamed;
  RowState state = startRow(kernel);
  auto streamsFrom = [&](Val piece) {
    SmallVector<Buffer> streams;
    for (int64_t stream : llvm::seq(kStreams))
      streams.push_back(
          logits.from(piece * kPiece + kernel.index(stream * pieces * kPiece)));
    return streams;
  };
  if (pieces > 0) {
    Val largest = findLargest(kernel, streamsFrom(kernel.index(0)), kPiece);
    Vals carried = kernel.forRange(
        kernel.index(0), kernel.index(pieces - 1), 1,
        {state.largest, state.sum, largest}, [&](Val piece, Vals before) {
          Val next;
          RowState after = addPieces(kernel, streamsFrom(piece), kPiece,
                                     {before[0], before[1]}, before[2], &next);
          return Vals{after.largest, after.sum, next};
        });
    state = addPieces(kernel, streamsFrom(kernel.index(pieces - 1)), kPiece,
                      {carried[0], carried[1]}, carried[2], nullptr);
  }
  if (rest) {
    Buffer last = logits.from(kernel.index(streamed));
    state = addPieces(kernel, last, rest, state,
                      findLargest(kernel, last, rest), nullptr);
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

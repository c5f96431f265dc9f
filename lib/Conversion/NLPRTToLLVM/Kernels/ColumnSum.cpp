//===- ColumnSum.cpp - Sums over rows ---------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block of rows writes partial sums into the workspace, which a second
// stage adds in the order of blocks.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

/// Up to so many columns, a row and partial sums share the first cache level.
/// Wider blocks are read in strips of columns whose sums stay in registers.
static constexpr int64_t kNarrow = 2048, kStrip = 256;
/// Elements between what a strip reads and what it fetches ahead: no hardware
/// foresees the next row's part of a strip.
static constexpr int64_t kFetchAhead = 49152;

void nlp::rt::combinePartials(KernelBuilder &kernel, Buffer partial,
                              int64_t blocks, int64_t stride, int64_t width,
                              Buffer out) {
  kernel.forFlat(width, kCombineColumns, [&](At at) {
    Vals total =
        kernel.forRange(kernel.index(0), kernel.index(blocks), 1,
                        {kernel.constant(kernel.vectorOf(kernel.f32()), 0.0)},
                        [&](Val block, Vals sum) {
                          Buffer row = partial.from(block * stride);
                          return Vals{sum[0] + kernel.load(row, at)};
                        });
    kernel.store(out, at, total[0]);
  });
}

int64_t nlp::rt::getColumnSumBytes(const KernelRequest &request) {
  int64_t width = request.count(1), rows = request.count(0) / width;
  int64_t blocks = llvm::divideCeil(rows, getRowsPerBlock(rows, width));
  return blocks * width * static_cast<int64_t>(sizeof(float));
}

/// Adds up rows first ... last - 1: in memory, row by row.
static void sumRows(KernelBuilder &kernel, Buffer in, Buffer partial, Val first,
                    Val last, int64_t width) {
  kernel.forVectors(width, [&](At at) {
    kernel.store(partial, at, kernel.constant(kernel.f32(), 0.0));
  });
  kernel.forRange(first, last, 1, [&](Val row) {
    Buffer place = in.from(row * width);
    kernel.forVectors(width, [&](At at) {
      kernel.store(partial, at,
                   kernel.load(partial, at) + kernel.load(place, at));
    });
  });
}

/// Adds up rows first ... last - 1: in registers, strip by strip.
static void sumStrips(KernelBuilder &kernel, Buffer in, Buffer partial,
                      Val first, Val last, int64_t width) {
  int64_t ahead = std::max<int64_t>(1, kFetchAhead / width) * width;
  auto sumStrip = [&](Val column, int64_t columns) {
    SmallVector<At> places = kernel.getVectors(column, columns);
    Vals sums(places.size(),
              kernel.constant(kernel.vectorOf(kernel.f32()), 0.0));
    sums = kernel.forRange(first, last, 1, sums, [&](Val row, Vals before) {
      Buffer place = in.from(row * width);
      for (auto [sum, at] : llvm::zip_equal(before, places)) {
        kernel.prefetch(place, at, ahead);
        sum = sum + kernel.load(place, at);
      }
      return before;
    });
    for (auto [sum, at] : llvm::zip_equal(sums, places))
      kernel.store(partial, at, sum);
  };
  int64_t whole = width - width % kStrip;
  kernel.forRange(kernel.index(0), kernel.index(whole), kStrip,
                  [&](Val column) { sumStrip(column, kStrip); });
  if (whole < width)
    sumStrip(kernel.index(whole), width - whole);
}

void nlp::rt::generateColumnSum(const KernelRequest &request, StageSink &sink) {
  // in [rows, width] -> out [width], workspace
  int64_t width = request.count(1), rows = request.count(0) / width;
  int64_t perBlock = getRowsPerBlock(rows, width);
  int64_t blocks = llvm::divideCeil(rows, perBlock);
  sink.stage(blocks, [&](KernelBuilder &kernel) {
    Buffer workspace = {kernel.buffer(2).pointer, kernel.f32()};
    kernel.forItems([&](Val block) {
      Buffer partial = workspace.from(block * width);
      Val first = block * perBlock;
      Val last = kernel.min(first + perBlock, kernel.index(rows));
      auto sum = width <= kNarrow ? sumRows : sumStrips;
      sum(kernel, kernel.buffer(0), partial, first, last, width);
    });
  });
  sink.stage(llvm::divideCeil(width, kCombineColumns),
             [&](KernelBuilder &kernel) {
               combinePartials(kernel, {kernel.buffer(2).pointer, kernel.f32()},
                               blocks, width, width, kernel.buffer(1));
             });
}

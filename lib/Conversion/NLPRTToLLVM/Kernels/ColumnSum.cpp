//===- ColumnSum.cpp - Sums over rows ---------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block of rows writes partial sums into the workspace, which a second
// stage adds in the order of blocks. Rows are read four at a time, so that a
// partial sum is loaded and stored once for four additions.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

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

void nlp::rt::generateColumnSum(const KernelRequest &request, StageSink &sink) {
  // in [rows, width] -> out [width], workspace
  constexpr int64_t kRows = 1;
  int64_t width = request.count(1), rows = request.count(0) / width;
  int64_t perBlock = getRowsPerBlock(rows, width);
  int64_t blocks = llvm::divideCeil(rows, perBlock);
  sink.stage(blocks, [&](KernelBuilder &kernel) {
    Buffer in = kernel.buffer(0);
    Buffer workspace = {kernel.buffer(2).pointer, kernel.f32()};
    kernel.forItems([&](Val block) {
      Buffer partial = workspace.from(block * width);
      kernel.forVectors(width, [&](At at) {
        kernel.store(partial, at, kernel.constant(kernel.f32(), 0.0));
      });
      auto addRows = [&](Val row, int64_t number) {
        kernel.forVectors(width, [&](At at) {
          Val sum = kernel.load(in.from(row * width), at);
          for (int64_t next = 1; next < number; ++next)
            sum = sum + kernel.load(in.from((row + next) * width), at);
          kernel.store(partial, at, kernel.load(partial, at) + sum);
        });
      };
      Val first = block * perBlock;
      Val last = kernel.min(first + perBlock, kernel.index(rows));
      Val whole = last - (last - first) % kRows;
      kernel.forRange(first, whole, kRows,
                      [&](Val row) { addRows(row, kRows); });
      kernel.forRange(whole, last, 1, [&](Val row) { addRows(row, 1); });
    });
  });
  sink.stage(llvm::divideCeil(width, kCombineColumns),
             [&](KernelBuilder &kernel) {
               combinePartials(kernel, {kernel.buffer(2).pointer, kernel.f32()},
                               blocks, width, width, kernel.buffer(1));
             });
}

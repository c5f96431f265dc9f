//===- Norm.cpp - Layer norm, RMS norm and their gradients ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read from memory once and then from the first cache level: for the
// mean, for the variance about that mean, and to be normalized. Gradients of
// weight and bias are sums over rows: each block of rows writes its own partial
// sums into the workspace, and a second stage adds them in the order of blocks.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

void nlp::rt::generateLayerNorm(const KernelRequest &request, StageSink &sink) {
  // in, weight, bias -> out, mean, rstd
  int64_t width = request.width(0), rows = request.rows(0);
  int64_t perItem = getRowsPerItem(width);
  double epsilon = request.getReal("epsilon");
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer weight = kernel.buffer(1), bias = kernel.buffer(2);
    kernel.forRows(rows, perItem, [&](Val row) {
      Buffer in = kernel.buffer(0).from(row * width);
      Buffer out = kernel.buffer(3).from(row * width);
      Val mean =
          kernel.sum(width, [&](At at) { return kernel.load(in, at); }) / width;
      Val variance = kernel.sum(width, [&](At at) {
        kernel.prefetch(in, at, width);
        kernel.prefetch(out, at, 0, /*toWrite=*/true);
        Val d = kernel.load(in, at) - mean;
        return d * d;
      }) / width;
      Val rstd = 1.0 / kernel.sqrt(variance + epsilon);
      kernel.storeScalar(kernel.buffer(4), row, mean);
      kernel.storeScalar(kernel.buffer(5), row, rstd);
      Val meanLanes = kernel.splat(mean), rstdLanes = kernel.splat(rstd);
      kernel.forVectors(width, [&](At at) {
        Val n = (kernel.load(in, at) - meanLanes) * rstdLanes;
        kernel.store(out, at,
                     n * kernel.load(weight, at) + kernel.load(bias, at));
      });
    });
  });
}

void nlp::rt::generateRMSNorm(const KernelRequest &request, StageSink &sink) {
  // in, weight -> out, rstd
  int64_t width = request.width(0), rows = request.rows(0);
  int64_t perItem = getRowsPerItem(width);
  double epsilon = request.getReal("epsilon");
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer weight = kernel.buffer(1);
    kernel.forRows(rows, perItem, [&](Val row) {
      Buffer in = kernel.buffer(0).from(row * width);
      Buffer out = kernel.buffer(2).from(row * width);
      Val square = kernel.sum(width, [&](At at) {
        kernel.prefetch(in, at, width);
        kernel.prefetch(out, at, 0, /*toWrite=*/true);
        Val x = kernel.load(in, at);
        return x * x;
      }) / width;
      Val rstd = 1.0 / kernel.sqrt(square + epsilon);
      kernel.storeScalar(kernel.buffer(3), row, rstd);
      Val rstdLanes = kernel.splat(rstd);
      kernel.forVectors(width, [&](At at) {
        kernel.store(out, at,
                     kernel.load(in, at) * rstdLanes * kernel.load(weight, at));
      });
    });
  });
}

namespace {
/// Gradient of either norm. With n = (in - mean) * rstd and
/// g = out_grad * weight: in_grad = rstd * (g - avg(g) - n * avg(g * n)); an
/// RMS norm has neither mean nor avg(g).
struct NormGrad {
  const KernelRequest &request;
  bool hasMean;
  int64_t width, rows, perBlock, blocks;

  NormGrad(const KernelRequest &request, bool hasMean)
      : request(request), hasMean(hasMean), width(request.width(1)),
        rows(request.rows(1)), perBlock(getRowsPerBlock(rows, width)),
        blocks(llvm::divideCeil(rows, perBlock)) {}

  /// Partial sums of a block: the weight's, then the bias'.
  int64_t partialWidth() const { return hasMean ? 2 * width : width; }
  int64_t bytes() const {
    return blocks * partialWidth() * static_cast<int64_t>(sizeof(float));
  }

  void emitRows(KernelBuilder &kernel, Val first, unsigned number,
                Buffer partial) const;
  void generate(StageSink &sink) const;
};
} // namespace

/// Rows first ... first + number - 1 together: weight and partial sums are then
/// loaded once for all of them.
void NormGrad::emitRows(KernelBuilder &kernel, Val first, unsigned number,
                        Buffer partial) const {
  struct Row {
    Buffer outGrad, in, inGrad;
    Val mean, rstd, average, averageN;
  };
  SmallVector<Row, 4> rows(number);
  for (auto [offset, row] : llvm::enumerate(rows)) {
    Val place = first + offset;
    row.outGrad = kernel.buffer(0).from(place * width);
    row.in = kernel.buffer(1).from(place * width);
    row.inGrad = kernel.buffer(hasMean ? 5 : 4).from(place * width);
    if (hasMean)
      row.mean = kernel.splat(kernel.loadScalar(kernel.buffer(3), place));
    row.rstd =
        kernel.splat(kernel.loadScalar(kernel.buffer(hasMean ? 4 : 3), place));
  }
  auto normal = [&](const Row &row, At at) {
    Val x = kernel.load(row.in, at);
    return (hasMean ? x - row.mean : x) * row.rstd;
  };
  Buffer weight = kernel.buffer(2);
  Vals totals = kernel.sums(
      width, number * (hasMean ? 2 : 1),
      [&](At at) {
        Val w = kernel.load(weight, at);
        At bias = {at.index + width, at.mask};
        Val weightGrad = kernel.load(partial, at), biasGrad;
        if (hasMean)
          biasGrad = kernel.load(partial, bias);
        Vals terms;
        for (const Row &row : rows) {
          Val n = normal(row, at), dy = kernel.load(row.outGrad, at);
          weightGrad = weightGrad + dy * n;
          terms.push_back(dy * w * n);
          if (hasMean) {
            biasGrad = biasGrad + dy;
            terms.push_back(dy * w);
          }
        }
        kernel.store(partial, at, weightGrad);
        if (hasMean)
          kernel.store(partial, bias, biasGrad);
        return terms;
      },
      kernel.f32(), /*unroll=*/number > 1 ? 1 : 4);
  const Val *total = totals.begin();
  for (Row &row : rows) {
    row.averageN = kernel.splat(*total++ / width);
    if (hasMean)
      row.average = kernel.splat(*total++ / width);
  }
  kernel.forVectors(width, [&](At at) {
    Val w = kernel.load(weight, at);
    for (const Row &row : rows) {
      Val rest = normal(row, at) * row.averageN;
      if (hasMean)
        rest = row.average + rest;
      Val g = kernel.load(row.outGrad, at) * w;
      kernel.store(row.inGrad, at, row.rstd * (g - rest));
    }
  });
}

void NormGrad::generate(StageSink &sink) const {
  unsigned workspace = request.buffers.size() - 1;
  sink.stage(blocks, [&](KernelBuilder &kernel) {
    kernel.forItems([&](Val block) {
      Buffer partial = {kernel.buffer(workspace).pointer, kernel.f32()};
      partial = partial.from(block * partialWidth());
      kernel.forVectors(partialWidth(), [&](At at) {
        kernel.store(partial, at, kernel.constant(kernel.f32(), 0.0));
      });
      // Together only where weight and partial sums crowd the first cache
      // level: more rows are more streams.
      int64_t group = width > 1536 ? 4 : 1;
      Val first = block * perBlock;
      Val last = kernel.min(first + perBlock, kernel.index(rows));
      Val whole = last - (last - first) % group;
      kernel.forRange(first, whole, group,
                      [&](Val row) { emitRows(kernel, row, group, partial); });
      if (group > 1)
        kernel.forRange(whole, last, 1,
                        [&](Val row) { emitRows(kernel, row, 1, partial); });
    });
  });
  sink.stage(
      llvm::divideCeil(width, kCombineColumns), [&](KernelBuilder &kernel) {
        Buffer partial = {kernel.buffer(workspace).pointer, kernel.f32()};
        unsigned out = hasMean ? 6 : 5;
        combinePartials(kernel, partial, blocks, partialWidth(), width,
                        kernel.buffer(out));
        if (hasMean)
          combinePartials(kernel, partial.from(kernel.index(width)), blocks,
                          partialWidth(), width, kernel.buffer(out + 1));
      });
}

void nlp::rt::generateLayerNormGrad(const KernelRequest &request,
                                    StageSink &sink) {
  NormGrad(request, /*hasMean=*/true).generate(sink);
}
int64_t nlp::rt::getLayerNormGradBytes(const KernelRequest &request) {
  return NormGrad(request, /*hasMean=*/true).bytes();
}
void nlp::rt::generateRMSNormGrad(const KernelRequest &request,
                                  StageSink &sink) {
  NormGrad(request, /*hasMean=*/false).generate(sink);
}
int64_t nlp::rt::getRMSNormGradBytes(const KernelRequest &request) {
  return NormGrad(request, /*hasMean=*/false).bytes();
}

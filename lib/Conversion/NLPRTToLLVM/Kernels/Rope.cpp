//===- Rope.cpp - Rotary positions ------------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Angles are formed and reduced in f64, since positions may be large; sine and
// cosine are shared by all heads of a position.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

void nlp::rt::generateRope(const KernelRequest &request, StageSink &sink) {
  // in [batch, position, head, feature] -> out
  ArrayRef<int64_t> shape = request.buffers[0].getShape();
  int64_t positions = shape[1], heads = shape[2], features = shape[3];
  int64_t half = features / 2, rows = shape[0] * positions;
  int64_t perItem = getRowsPerItem(heads * features);
  bool inverse = request.getInt("inverse");
  SmallVector<double> frequencies = request.getReals("frequencies");
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer table = kernel.table(frequencies);
    kernel.forRows(rows, perItem, [&](Val row) {
      Val position = kernel.toFloat(row % positions, kernel.f64());
      Buffer in = kernel.buffer(0).from(row * (heads * features));
      Buffer out = kernel.buffer(1).from(row * (heads * features));
      kernel.forVectors(half, [&](At at) {
        auto [sine, cosine] = kernel.sinCos(kernel.load(table, at) * position);
        if (inverse)
          sine = -sine;
        kernel.forRange(kernel.index(0), kernel.index(heads * features),
                        features, [&](Val head) {
                          At low = {at.index + head, at.mask};
                          At high = {low.index + half, at.mask};
                          Val a = kernel.load(in, low),
                              b = kernel.load(in, high);
                          kernel.store(out, low, a * cosine - b * sine);
                          kernel.store(out, high, b * cosine + a * sine);
                        });
      });
    });
  });
}

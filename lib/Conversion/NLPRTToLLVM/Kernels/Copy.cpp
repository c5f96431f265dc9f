//===- Copy.cpp - Fills and strided copies ----------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy visits an index space with one stride for each side and dimension.
// Dimensions that are contiguous on both sides are joined; then rows along the
// innermost dimension are vector copies where both strides are 1, gathers where
// only the output's is, and element by element otherwise.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

void nlp::rt::generateFill(const KernelRequest &request, StageSink &sink) {
  int64_t count = request.count(0);
  Type storage = request.storage(0);
  double value = request.getReal("value");
  sink.stage(llvm::divideCeil(count, kBlockElements),
             [&](KernelBuilder &kernel) {
               Val filler =
                   isa<FloatType>(storage)
                       ? kernel.constant(storage, value)
                       : kernel.constant(storage, static_cast<int64_t>(value));
               kernel.forFlat(count, kBlockElements, [&](At at) {
                 kernel.store(kernel.buffer(0), at, filler);
               });
             });
}

namespace {
struct Dimension {
  int64_t size, inStride, outStride;
};
} // namespace

/// The index space without dimensions of size 1, contiguous ones joined, and
/// one along which the output is contiguous innermost.
static SmallVector<Dimension> getDimensions(const KernelRequest &request) {
  SmallVector<int64_t> shape = request.getInts("shape"),
                       in = request.getInts("in_strides"),
                       out = request.getInts("out_strides");
  SmallVector<Dimension> dims;
  for (auto [size, inStride, outStride] : llvm::zip_equal(shape, in, out)) {
    if (size == 1)
      continue;
    if (!dims.empty() && dims.back().inStride == inStride * size &&
        dims.back().outStride == outStride * size)
      dims.back() = {dims.back().size * size, inStride, outStride};
    else
      dims.push_back({size, inStride, outStride});
  }
  if (dims.empty())
    dims.push_back({1, 1, 1});
  auto best = llvm::find_if(
      dims, [](const Dimension &dim) { return dim.outStride == 1; });
  if (best != dims.end())
    std::rotate(best, best + 1, dims.end());
  return dims;
}

void nlp::rt::generateCopy(const KernelRequest &request, StageSink &sink) {
  SmallVector<Dimension> dims = getDimensions(request);
  Dimension inner = dims.pop_back_val();
  int64_t rows = 1;
  for (const Dimension &dim : dims)
    rows *= dim.size;
  int64_t inOffset = request.getInt("in_offset"),
          outOffset = request.getInt("out_offset");
  // Bits are copied, whatever they mean.
  unsigned bits = request.storage(0).getIntOrFloatBitWidth();
  auto setBuffers = [&](KernelBuilder &kernel, Buffer &in, Buffer &out) {
    Type storage = kernel.ops().getIntegerType(bits);
    in = Buffer{kernel.buffer(0).pointer, storage}.from(kernel.index(inOffset));
    out =
        Buffer{kernel.buffer(1).pointer, storage}.from(kernel.index(outOffset));
  };
  if (dims.empty() && inner.inStride == 1 && inner.outStride == 1)
    return sink.stage(llvm::divideCeil(inner.size, kBlockElements),
                      [&](KernelBuilder &kernel) {
                        Buffer in, out;
                        setBuffers(kernel, in, out);
                        kernel.forFlat(inner.size, kBlockElements, [&](At at) {
                          kernel.store(out, at, kernel.load(in, at));
                        });
                      });
  int64_t perItem = getRowsPerItem(inner.size);
  sink.stage(llvm::divideCeil(rows, perItem), [&](KernelBuilder &kernel) {
    Buffer in, out;
    setBuffers(kernel, in, out);
    kernel.forRows(rows, perItem, [&](Val row) {
      Val inPlace = kernel.index(0), outPlace = kernel.index(0);
      for (const Dimension &dim : llvm::reverse(dims)) {
        Val digit = row % dim.size;
        row = row / dim.size;
        inPlace = inPlace + digit * dim.inStride;
        outPlace = outPlace + digit * dim.outStride;
      }
      Buffer inRow = in.from(inPlace), outRow = out.from(outPlace);
      if (inner.outStride == 1)
        return kernel.forVectors(inner.size, [&](At at) {
          kernel.store(outRow, at,
                       inner.inStride == 1
                           ? kernel.load(inRow, at)
                           : kernel.gather(inRow, at.index * inner.inStride,
                                           inner.inStride, at));
        });
      kernel.forRange(kernel.index(0), kernel.index(inner.size), 1, [&](Val i) {
        kernel.storeScalar(outRow, i * inner.outStride,
                           kernel.loadScalar(inRow, i * inner.inStride));
      });
    });
  });
}

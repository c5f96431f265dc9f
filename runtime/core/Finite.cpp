//===- Finite.cpp - No infinity, no NaN is saved -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is finite unless all bits of its exponent are set. Blocks are tested
// as a whole, so that the compiler can use vectors; the scan costs less than
// the fingerprint that a write computes anyway.
//
//===----------------------------------------------------------------------===//

#include "core/Finite.h"
#include "core/DType.h"
#include "core/Support.h"
#include <algorithm>
#include <cmath>

namespace nlprt {

static constexpr int64_t block = 4096;

/// A block that holds an element whose bits cover `exponent`, else `count`.
template <typename Bits>
static int64_t findBlock(const char *data, int64_t count, Bits exponent) {
  const Bits *bits = reinterpret_cast<const Bits *>(data);
  for (int64_t begin = 0; begin < count; begin += block) {
    bool found = false;
    for (int64_t i = begin, end = std::min(begin + block, count); i < end; ++i)
      found |= (bits[i] & exponent) == exponent;
    if (found)
      return begin;
  }
  return count;
}

static int64_t findBlock(const nlprt_tensor &tensor, const char *data,
                         int64_t count) {
  switch (tensor.dtype) {
  case NLPRT_F32:
    return findBlock<uint32_t>(data, count, 0x7f800000);
  case NLPRT_BF16:
    return findBlock<uint16_t>(data, count, 0x7f80);
  case NLPRT_F16:
    return findBlock<uint16_t>(data, count, 0x7c00);
  case NLPRT_F64:
    return findBlock<uint64_t>(data, count, 0x7ff0000000000000);
  default:
    return count; // integers
  }
}

void checkFinite(const std::string &path, std::span<const nlprt_tensor> tensors,
                 const char *arena) {
  for (const nlprt_tensor &tensor : tensors) {
    const char *data = arena + tensor.offset;
    int64_t count = tensor.bytes / dtypeBytes(tensor.dtype);
    int64_t element = findBlock(tensor, data, count);
    if (element == count)
      continue;
    while (std::isfinite(loadFloat(data, tensor.dtype, element)))
      ++element;
    throw Error(format("%s: not written: element %lld of %s is %g; a smaller "
                       "--lr may help",
                       path.c_str(), static_cast<long long>(element),
                       tensor.name, loadFloat(data, tensor.dtype, element)));
  }
}

} // namespace nlprt

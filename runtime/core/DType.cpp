//===- DType.cpp - Element types and their names -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/DType.h"

namespace nlprt {

static constexpr struct {
  const char *name;
  int64_t bytes;
} dtypes[] = {{"F32", 4}, {"BF16", 2}, {"F16", 2}, {"F64", 8},
              {"I8", 1},  {"I32", 4},  {"I64", 8}};
static constexpr int64_t dtypeCount = sizeof(dtypes) / sizeof(dtypes[0]);

int64_t dtypeBytes(int64_t dtype) {
  return dtype >= 0 && dtype < dtypeCount ? dtypes[dtype].bytes : 0;
}

const char *dtypeName(int64_t dtype) {
  return dtype >= 0 && dtype < dtypeCount ? dtypes[dtype].name : "?";
}

int64_t floatNamed(std::string_view name) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16, NLPRT_F16, NLPRT_F64})
    if (name == dtypes[dtype].name)
      return dtype;
  return -1;
}

} // namespace nlprt

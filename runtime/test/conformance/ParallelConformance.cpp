//===- ParallelConformance.cpp - Work sharing on every backend -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"
#include <atomic>

using namespace nlprt::test;

TEST_P(ConformanceTest, ParallelRunsEveryItemOnce) {
  for (int64_t items : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> runs(items);
    void *const buffers[] = {&runs};
    nlprt_body body = [](int64_t begin, int64_t end, void *const *buffers) {
      auto &runs = *static_cast<std::vector<std::atomic<int>> *>(buffers[0]);
      ASSERT_LT(begin, end);
      for (int64_t i = begin; i < end; ++i)
        ++runs[i];
    };
    ASSERT_EQ(backend.parallel(context.get(), nullptr, body, items, buffers),
              NLPRT_OK);
    for (const auto &count : runs)
      EXPECT_EQ(count, 1);
  }
}

//===- Backends.cpp - The backends of this build -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace nlprt::test;

static std::string nameOf(const testing::TestParamInfo<Configuration> &info) {
  return info.param.backend->name + std::to_string(info.param.threads);
}

INSTANTIATE_TEST_SUITE_P(Backends, ConformanceTest,
                         testing::Values(Configuration{nlprt_null_backend(), 1},
                                         Configuration{nlprt_cpu_backend(), 1},
                                         Configuration{nlprt_cpu_backend(), 2},
                                         Configuration{nlprt_cpu_backend(), 3}),
                         nameOf);

//===- MemoryReport.cpp - What fills the arena at its peak ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"

using namespace mlir;
using namespace nlp::rt;

/// The position at which most bytes are live, and those bytes.
static std::pair<int64_t, int64_t>
findPeak(const ProgramLifetimes &lifetimes) {
  std::vector<int64_t> change(lifetimes.ops.size() + 2, 0);
  for (const BufferLifetime &buffer : lifetimes.buffers)
    for (auto [begin, end] : buffer.live) {
      change[begin] += buffer.bytes;
      change[end] -= buffer.bytes;
    }
  int64_t live = 0, most = -1, peak = 0;
  for (size_t position = 0; position < lifetimes.ops.size(); ++position) {
    live += change[position];
    if (live > most) {
      most = live;
      peak = position;
    }
  }
  return {peak, most};
}

int64_t nlp::rt::getMaxLiveBytes(ProgramOp program) {
  return findPeak(getLifetimes(program)).second;
}

MemoryReport nlp::rt::getMemoryReport(ProgramOp program) {
  MemoryReport report;
  report.arenaBytes = program.getArenaBytes().value_or(0);
  report.bytes.assign(getMaxEnumValForCategory() + 1, 0);
  ProgramLifetimes lifetimes = getLifetimes(program);
  int64_t peak = findPeak(lifetimes).first, live = 0;
  for (const BufferLifetime &buffer : lifetimes.buffers)
    if (llvm::any_of(buffer.live, [&](std::pair<int64_t, int64_t> interval) {
          return interval.first <= peak && peak < interval.second;
        })) {
      report.bytes[static_cast<int64_t>(buffer.category)] += buffer.bytes;
      live += buffer.bytes;
      report.largest.push_back(buffer);
    }
  report.fragmentationBytes = report.arenaBytes - live;
  report.at = lifetimes.ops.empty() ? nullptr : lifetimes.ops[peak];
  llvm::stable_sort(report.largest, [](const auto &a, const auto &b) {
    return a.bytes > b.bytes;
  });
  if (report.largest.size() > 10)
    report.largest.resize(10);
  return report;
}

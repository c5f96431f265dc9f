//===- Trace.h - When each kernel ran -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of the last calls, allocated once; written at the end as a Chrome
// trace (chrome://tracing, Perfetto). Records come from the main thread alone.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_TRACE_H
#define NLPRT_CORE_TRACE_H

#include "nlprt/nlprt.h"
#include <cstddef>
#include <string>
#include <vector>

namespace nlprt {

class Trace {
public:
  explicit Trace(size_t capacity = size_t(1) << 18);

  /// Nanoseconds of a clock that only goes forward.
  static int64_t now();

  void record(const nlprt_site *site, int64_t start, int64_t end);

  /// Writes the calls that the ring still holds, oldest first. Throws Error.
  void write(const std::string &path) const;

private:
  struct Event {
    const nlprt_site *site;
    int64_t start, end;
  };
  std::vector<Event> ring;
  size_t recorded = 0;
};

} // namespace nlprt

#endif // NLPRT_CORE_TRACE_H

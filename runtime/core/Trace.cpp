//===- Trace.cpp - When each kernel ran -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 24 bytes and two clock reads a call. When more calls were made than the ring
// holds, the oldest are lost and the file says how many.
//
//===----------------------------------------------------------------------===//

#include "core/Trace.h"
#include "core/AtomicFile.h"
#include "core/Support.h"
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

namespace nlprt {

Trace::Trace(size_t capacity) : ring(capacity) {}

int64_t Trace::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

void Trace::record(const nlprt_site *site, int64_t start, int64_t end) {
  ring[recorded++ % ring.size()] = {site, start, end};
}

/// A JSON string with quotes; names come from the model and may hold anything.
static std::string quoted(const char *text) {
  return nlohmann::json(text ? text : "")
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Trace::write(const std::string &path) const {
  size_t kept = std::min(recorded, ring.size()), first = recorded - kept;
  int64_t origin = kept ? ring[first % ring.size()].start : 0;
  AtomicFile file(path);
  file.write(format("{\"displayTimeUnit\":\"ms\",\"lostEvents\":%zu,"
                    "\"traceEvents\":[",
                    first));
  for (size_t i = first; i < recorded; ++i) {
    const Event &event = ring[i % ring.size()];
    const nlprt_site *site = event.site;
    file.write(format(
        "%s\n{\"name\":%s,\"cat\":\"kernel\",\"ph\":\"X\",\"pid\":0,\"tid\":0,"
        "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"place\":%s,\"flops\":%lld,"
        "\"bytes\":%lld}}",
        i == first ? "" : ",", quoted(site ? site->kernel : "kernel").c_str(),
        (event.start - origin) / 1e3, (event.end - event.start) / 1e3,
        quoted(site ? site->place : "").c_str(),
        static_cast<long long>(site ? site->flops : 0),
        static_cast<long long>(site ? site->bytes : 0)));
  }
  file.write("\n]}\n");
  file.commit();
}

} // namespace nlprt

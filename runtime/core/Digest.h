//===- Digest.h - A fast fingerprint of bytes -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds damage, not forgery: four lanes of multiply and rotate, so that a
// checkpoint is checked at the speed of memory. The result does not depend on
// how the bytes are cut into calls.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_DIGEST_H
#define NLPRT_CORE_DIGEST_H

#include "nlprt/counter_random.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace nlprt {

class Digest {
public:
  void update(const void *data, size_t bytes) {
    const char *from = static_cast<const char *>(data);
    total += bytes;
    while (bytes > 0) {
      if (pending == 0 && bytes >= sizeof(block)) {
        absorb(from);
        from += sizeof(block);
        bytes -= sizeof(block);
        continue;
      }
      size_t part = std::min(bytes, sizeof(block) - pending);
      std::memcpy(block + pending, from, part);
      from += part;
      bytes -= part;
      if ((pending += part) == sizeof(block)) {
        absorb(block);
        pending = 0;
      }
    }
  }

  uint64_t value() const {
    Digest last = *this;
    std::memset(last.block + pending, 0, sizeof(block) - pending);
    last.absorb(last.block);
    uint64_t result = total;
    for (uint64_t lane : last.lanes)
      result = nlprt_mix(result, lane);
    return result;
  }

private:
  void absorb(const char *from) {
    for (int i = 0; i < 4; ++i) {
      uint64_t word;
      std::memcpy(&word, from + 8 * i, 8);
      lanes[i] = std::rotl((lanes[i] ^ word) * 0x9e3779b97f4a7c15u, 31);
    }
  }

  uint64_t lanes[4] = {1, 2, 3, 4}, total = 0;
  size_t pending = 0;
  char block[32];
};

} // namespace nlprt

#endif // NLPRT_CORE_DIGEST_H

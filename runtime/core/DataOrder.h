//===- DataOrder.h - Which sequence comes when -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sequence g of a run (g = step * global batch + place in the batch, from 0) is
// a function of g and the seed alone, so that a resumed run goes on with the
// very next one. An epoch is (tokens - 1) / length sequences that overlap by
// one token: inputs the first `length` tokens, targets shifted by one.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_DATAORDER_H
#define NLPRT_CORE_DATAORDER_H

#include "core/TokenFile.h"

namespace nlprt {

class DataOrder {
public:
  /// Throws Error if the file holds less than one sequence and its target.
  DataOrder(const TokenFile &file, const std::string &path, int64_t length,
            bool shuffled, uint64_t seed);

  int64_t sequencesPerEpoch() const { return sequences; }

  /// The place in the file of sequence `number`, in [0, sequencesPerEpoch).
  int64_t placeOf(int64_t number) const;

  /// Copies the length + 1 tokens of sequence `number`.
  void read(int64_t number, int32_t *out) const;

private:
  const TokenFile &file;
  int64_t length, sequences;
  bool shuffled;
  uint64_t seed;
};

/// Element `index` of a permutation of [0, size) that `key` picks. Needs no
/// memory; a few Philox calls each.
int64_t permuted(uint64_t key, int64_t index, int64_t size);

} // namespace nlprt

#endif // NLPRT_CORE_DATAORDER_H

//===- RecomputePolicy.h - Recomputation as other tools fix it --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PLANNER_RECOMPUTEPOLICY_H
#define NLP_PLANNER_RECOMPUTEPOLICY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace nlp {

class StepOp;

/// A rule in place of a search: what every block of a model keeps.
struct RecomputePolicy {
  /// The first blocks, of each pipeline stage, that the rule is for; empty:
  /// all.
  llvm::SmallVector<int64_t> firstBlocks;
  /// What is kept in them beside the block's input: results of ops by mnemonic
  /// or by the last part of their user-level place.
  llvm::SmallVector<std::string> kept;
  /// Everything but these is kept, instead.
  llvm::SmallVector<std::string> recomputed;

  /// Reads `block`, `attention`, `N,N,...` or `keep:OP,...`.
  static llvm::Expected<RecomputePolicy> parse(llvm::StringRef text);
};

/// Marks the forward results of the `forward_backward` segment of `step` by
/// `policy`, and removes other marks and orders. Blocks are told by the first
/// number in the user-level places of their ops (`h.3.attn`). Fails where the
/// step has no blocks, or none has an op of a name in `policy`.
llvm::Error applyRecomputePolicy(StepOp step, const RecomputePolicy &policy);

} // namespace nlp

#endif // NLP_PLANNER_RECOMPUTEPOLICY_H

//===- Lifetimes.h - When each buffer of a program holds something --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_TRANSFORMS_LIFETIMES_H
#define NLP_DIALECT_NLPRT_TRANSFORMS_LIFETIMES_H

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include <utility>
#include <vector>

namespace nlp::rt {

/// A buffer, or one instance of a slot, and when it is live.
struct BufferLifetime {
  /// An AllocOp or a BufferOp.
  mlir::Operation *op = nullptr;
  int64_t instance = 0;
  int64_t bytes = 0;
  Category category = Category::Transients;
  /// Half-open intervals of positions, disjoint, in rising order.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1> live;
};

/// The lifetimes of all buffers of a program, over all its runs and, behind
/// them, one run of each routine that no run names (evaluation). A
/// position is one op of one run; `ops[position]` is that op.
struct ProgramLifetimes {
  std::vector<BufferLifetime> buffers;
  std::vector<mlir::Operation *> ops;
};
ProgramLifetimes getLifetimes(ProgramOp program);

/// Bytes by category at the position where most bytes are live.
struct MemoryReport {
  int64_t arenaBytes = 0;
  /// Bytes live at the peak, by Category.
  llvm::SmallVector<int64_t, 8> bytes;
  /// What the arena has beyond that.
  int64_t fragmentationBytes = 0;
  /// User-level place and op at the peak.
  mlir::Operation *at = nullptr;
  /// The largest buffers live at the peak, largest first, at most ten.
  std::vector<BufferLifetime> largest;
};
MemoryReport getMemoryReport(ProgramOp program);

/// The largest sum of bytes of buffers that hold something together: no arena
/// is smaller.
int64_t getMaxLiveBytes(ProgramOp program);

} // namespace nlp::rt

#endif // NLP_DIALECT_NLPRT_TRANSFORMS_LIFETIMES_H

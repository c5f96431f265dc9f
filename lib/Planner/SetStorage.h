//===- SetStorage.h - Keep or recompute, written on an op -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_PLANNER_SETSTORAGE_H
#define NLP_LIB_PLANNER_SETSTORAGE_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// Sets what happens to each result of `op`, all kept where `storage` is empty,
/// and leaves the rest of its plan. No plan is left that asks for nothing.
inline void setStorage(PlannedOpInterface op,
                       llvm::ArrayRef<StorageKind> storage) {
  OpPlanAttr old = op.getOpPlan();
  mlir::Type precision = old ? old.getPrecision() : mlir::Type();
  auto shardings = old ? old.getShardings() : llvm::ArrayRef<ShardingAttr>();
  int64_t stage = old ? old.getStage() : 0;
  bool isTrivial = storage.empty() && !precision && shardings.empty() && !stage;
  op.setOpPlan(isTrivial ? OpPlanAttr()
                         : OpPlanAttr::get(op->getContext(), storage, precision,
                                           shardings, stage));
}

} // namespace nlp

#endif // NLP_LIB_PLANNER_SETSTORAGE_H

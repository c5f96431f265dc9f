//===- PlanParts.h - Read, change and erase parts of the plan ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An apply pass erases what it carried out: it gives its fields their trivial
// values, and the attribute goes when all of them are trivial.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_PLANPARTS_H
#define NLP_DIALECT_NLP_TRANSFORMS_PLANPARTS_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// `#nlp.plan` with fields that can be set.
struct PlanFields {
  explicit PlanFields(PlanAttr plan);
  PlanAttr get() const;

  MeshAttr mesh;
  int64_t zero;
  bool sequenceParallel;
  int64_t microBatch;
  int64_t lossChunks;
  ScheduleAttr schedule;
  Numerics numerics;
  int64_t budget;
  bool updateInBackward;
  llvm::SmallVector<int64_t> stageLayers;
};

/// `#nlp.op_plan` with fields that can be set.
struct OpPlanFields {
  explicit OpPlanFields(OpPlanAttr plan);
  /// Null where all fields are trivial.
  OpPlanAttr get(mlir::MLIRContext *context) const;

  llvm::SmallVector<StorageKind> storage;
  mlir::Type precision;
  llvm::SmallVector<ShardingAttr> shardings;
  int64_t stage;
};

/// Sequences in the inputs of `step`; none without inputs, an error where they
/// differ.
llvm::FailureOr<std::optional<int64_t>> getInputBatch(StepOp step);

/// True where `plan` asks for nothing that is not carried out yet. A budget is
/// for the memory planner and does not count.
bool isCarriedOut(StepOp step, PlanAttr plan);

/// Changes the plan of `step`, if it has one, and drops it where nothing but
/// trivial fields is left.
void updatePlan(StepOp step, llvm::function_ref<void(PlanFields &)> update);

/// As updatePlan, for an op.
void updateOpPlan(PlannedOpInterface op,
                  llvm::function_ref<void(OpPlanFields &)> update);

/// Calls `check` with each op under `step` that has a plan, until one fails.
llvm::LogicalResult checkOpPlans(
    StepOp step,
    llvm::function_ref<llvm::LogicalResult(PlannedOpInterface, OpPlanAttr)>
        check);

} // namespace nlp

#endif // NLP_DIALECT_NLP_TRANSFORMS_PLANPARTS_H

//===- ApplyPrecision.cpp - Carry out the precision of ops ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A precision that an op has already is erased. Casts are not inserted yet.
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"
#include "StepRewrite.h"
#include "mlir/IR/TypeUtilities.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYPRECISION
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyPrecision : nlp::impl::ApplyPrecisionBase<ApplyPrecision> {
  using ApplyPrecisionBase::ApplyPrecisionBase;

  void runOnOperation() override;
};
} // namespace

static LogicalResult applyPrecision(StepOp step) {
  if (PlanAttr plan = step.getPlanAttr();
      plan && plan.getNumerics() != Numerics::Exact)
    return step.emitOpError("numerics ")
           << stringifyNumerics(plan.getNumerics())
           << " is not supported yet: expected exact";
  if (failed(checkOpPlans(step, [](PlannedOpInterface op, OpPlanAttr plan) {
        Type precision = plan.getPrecision();
        if (precision &&
            (op->getNumResults() == 0 ||
             getElementTypeOrSelf(op->getResult(0).getType()) != precision))
          return LogicalResult(op->emitOpError("precision ")
                               << precision << " is not supported yet for "
                               << op->getResultTypes());
        return success();
      })))
    return failure();
  step.walk([](PlannedOpInterface op) {
    updateOpPlan(op, [](OpPlanFields &fields) { fields.precision = Type(); });
  });
  return success();
}

void ApplyPrecision::runOnOperation() {
  if (failed(editStep(getOperation(), applyPrecision)))
    signalPassFailure();
}

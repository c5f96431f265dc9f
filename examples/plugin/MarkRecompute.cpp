//===- MarkRecompute.cpp - A planning pass as a plugin --------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks the results of forward ops that cost less to compute again than they
// are worth in memory. The rule looks at one op at a time: it neglects that
// recomputing an op may keep its operands alive for longer. Linear in the ops
// and their uses.
//
// The pass only marks. -nlp-apply-recompute clones the marked ops.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

using namespace mlir;
using namespace nlp;

namespace {
struct MarkRecompute : PassWrapper<MarkRecompute, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkRecompute)

  MarkRecompute() = default;
  MarkRecompute(const MarkRecompute &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "example-mark-recompute"; }
  StringRef getDescription() const override {
    return "Marks results that are cheap to recompute for their size.";
  }

  void runOnOperation() override;

  Option<int64_t> minBytesPerKflop{
      *this, "min-bytes-per-kflop",
      llvm::cl::desc("Bytes freed per 1000 flops that justify a mark."),
      llvm::cl::init(100)};
};
} // namespace

/// The op that ends the forward pass of `segment`, or null.
static Operation *getTurn(SegmentOp segment) {
  auto turns = segment.getBody().front().getOps<TurnOp>();
  return turns.empty() ? nullptr : (*turns.begin()).getOperation();
}

/// Bytes of the results of `op` that the backward pass, behind `turn`, reads.
static int64_t getSavedBytes(Operation *op, Operation *turn) {
  int64_t bytes = 0;
  for (Value result : op->getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          return turn->isBeforeInBlock(user);
        }))
      bytes += getTensorBytes(result.getType());
  return bytes;
}

/// Whether marking `op` frees enough for what it costs.
static bool isWorthIt(Operation *op, Operation *turn, int64_t bytesPerKflop) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  auto cost = dyn_cast<CostModelOpInterface>(op);
  if (!recompute || recompute.getRecomputeKind() == RecomputeKind::Never ||
      !cost || cost.getBytesWritten() == 0) // a view frees nothing
    return false;
  return getSavedBytes(op, turn) * 1000 > bytesPerKflop * cost.getFlops();
}

/// Marks all results of `op`, and leaves the rest of its plan as it is.
static void mark(PlannedOpInterface op) {
  OpPlanAttr old = op.getOpPlan();
  SmallVector<StorageKind> storage(op->getNumResults(), StorageKind::Recompute);
  op.setOpPlan(OpPlanAttr::get(
      op->getContext(), storage, old ? old.getPrecision() : Type(),
      old ? old.getShardings() : ArrayRef<ShardingAttr>(),
      old ? old.getStage() : 0));
}

void MarkRecompute::runOnOperation() {
  getOperation().walk([&](SegmentOp segment) {
    Operation *turn = getTurn(segment);
    if (!turn)
      return;
    for (auto op : segment.getBody().front().getOps<PlannedOpInterface>())
      if (op->isBeforeInBlock(turn) && isWorthIt(op, turn, minBytesPerKflop))
        mark(op);
  });
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MarkRecompute", LLVM_VERSION_STRING,
          [] { PassRegistration<MarkRecompute>(); }};
}

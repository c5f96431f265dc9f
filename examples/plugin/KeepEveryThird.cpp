//===- KeepEveryThird.cpp - A memory plan of one's own --------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces what the planner would choose to keep by a fixed rule: of every
// third block its input, and nothing else of the blocks. So three blocks at a
// time are computed again when the backward pass comes to them. Linear in the
// ops and their uses.
//
// The pass writes the attributes that -nlp-plan-storage writes; everything
// behind it is as for any plan.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Storage.h"

using namespace mlir;
using namespace nlp;

namespace {
struct KeepEveryThird : PassWrapper<KeepEveryThird, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepEveryThird)

  KeepEveryThird() = default;
  KeepEveryThird(const KeepEveryThird &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "example-keep-every-third"; }
  StringRef getDescription() const override {
    return "Keeps the input of every third block, recomputes the rest.";
  }

  void runOnOperation() override;

  Option<int64_t> every{*this, "every",
                        llvm::cl::desc("Blocks for each input that is kept."),
                        llvm::cl::init(3)};
};
} // namespace

/// The block of `op`, 3 for "h.3.attn"; none for ops outside of blocks.
static std::optional<int64_t> getBlock(Operation *op) {
  SmallVector<StringRef> parts;
  getPlace(op->getLoc()).split(parts, '.');
  for (StringRef part : parts) {
    int64_t number = 0;
    if (!part.getAsInteger(10, number))
      return number;
  }
  return std::nullopt;
}

/// Whether `value` leaves the blocks, or is the input of a block that is kept.
static bool isKept(Value value, int64_t block, Operation *turn, int64_t every) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!user->isBeforeInBlock(turn))
      return false; // the backward pass is served by clones
    std::optional<int64_t> reader = getBlock(user);
    return !reader || (*reader != block && *reader % every == 0);
  });
}

/// What of the results of `op` is kept, or nothing where it may not run again.
static SmallVector<StorageKind> decide(Operation *op, Operation *turn,
                                       int64_t every) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  std::optional<int64_t> block = getBlock(op);
  SmallVector<StorageKind> storage;
  if (!block || !recompute ||
      recompute.getRecomputeKind() == RecomputeKind::Never)
    return storage;
  for (Value result : op->getResults())
    storage.push_back(isKept(result, *block, turn, every)
                          ? StorageKind::Keep
                          : StorageKind::Recompute);
  return storage;
}

/// Writes `storage`, and leaves the rest of the plan of `op` as it is.
static void setStorage(PlannedOpInterface op, ArrayRef<StorageKind> storage) {
  OpPlanAttr old = op.getOpPlan();
  op.setOpPlan(OpPlanAttr::get(
      op->getContext(), storage, old ? old.getPrecision() : Type(),
      old ? old.getShardings() : ArrayRef<ShardingAttr>(),
      old ? old.getStage() : 0));
}

void KeepEveryThird::runOnOperation() {
  if (every < 1) {
    getOperation().emitError("expected every of 1 or more, but got ") << every;
    return signalPassFailure();
  }
  getOperation().walk([&](SegmentOp segment) {
    auto turns = segment.getBody().front().getOps<TurnOp>();
    if (turns.empty())
      return;
    Operation *turn = *turns.begin();
    // An order of another plan would say what is recomputed, and where.
    segment.removeOrderAttr();
    for (auto op : segment.getBody().front().getOps<PlannedOpInterface>())
      if (op->isBeforeInBlock(turn))
        setStorage(op, decide(op, turn, every));
  });
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "KeepEveryThird", LLVM_VERSION_STRING,
          [] { PassRegistration<KeepEveryThird>(); }};
}

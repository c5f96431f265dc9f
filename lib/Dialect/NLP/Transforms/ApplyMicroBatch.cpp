//===- ApplyMicroBatch.cpp - Narrow the batch to a micro-batch ------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from the first dimension of every input and follows the factors of the
// ops' sharding rules in both directions to a fixed point: a narrowed dimension
// narrows its factor, and a factor all dimensions that it leads. What sums over
// a narrowed factor is then a part of a sum. Parts may only pass through linear
// ops (those whose gradients read nothing) on their way to an accumulating slot
// or a report; anything else would compute something different from the whole
// batch, and is an error. Types are changed when all of this is settled.
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"
#include "StepRewrite.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYMICROBATCH
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyMicroBatch : nlp::impl::ApplyMicroBatchBase<ApplyMicroBatch> {
  using ApplyMicroBatchBase::ApplyMicroBatchBase;

  void runOnOperation() override;
};

using DimSet = SmallVector<bool, 4>;

/// Finds the dimensions that a division of the batch by `parts` narrows.
class Narrowing {
public:
  Narrowing(StepOp step, int64_t parts) : step(step), parts(parts) {}

  LogicalResult propagate();
  LogicalResult checkPartialSums();
  void changeTypes();

private:
  LogicalResult visit(Operation *op);
  LogicalResult visitRule(ShardingRuleOpInterface op);
  LogicalResult visitSlot(Operation *op, FlatSymbolRefAttr name, Value value);
  FailureOr<SmallVector<bool>> getNarrowedFactors(Operation *op,
                                                  const ShardingRule &rule);
  bool isNarrowed(Value value, size_t dim) const;
  bool isNarrowed(Value value) const { return narrowed.contains(value); }
  void narrow(Value value, size_t dim);

  StepOp step;
  int64_t parts;
  llvm::MapVector<Value, DimSet> narrowed;
  llvm::MapVector<StringAttr, DimSet> narrowedSlots;
  /// The loads and stores of each slot.
  DenseMap<StringAttr, SmallVector<Operation *, 2>> slotUsers;
  /// Ops to visit: those around values that changed.
  SetVector<Operation *> pending;
};
} // namespace

bool Narrowing::isNarrowed(Value value, size_t dim) const {
  auto it = narrowed.find(value);
  return it != narrowed.end() && it->second[dim];
}

void Narrowing::narrow(Value value, size_t dim) {
  DimSet &dims = narrowed[value];
  dims.resize(cast<RankedTensorType>(value.getType()).getRank(), false);
  if (dims[dim])
    return;
  dims[dim] = true;
  pending.insert(value.getDefiningOp());
  for (Operation *user : value.getUsers())
    pending.insert(user);
}

/// The factor that leads a dimension, or -1: parts of the dimension are parts
/// of this factor. Factors of size 1 lead nothing.
static int getLeadingFactor(const ShardingRule &rule,
                            const ShardingRule::DimFactors &factors) {
  for (int factor : factors)
    if (rule.sizes[factor] > 1)
      return factor;
  return -1;
}

/// The factors that narrowed operands and results narrow.
FailureOr<SmallVector<bool>>
Narrowing::getNarrowedFactors(Operation *op, const ShardingRule &rule) {
  SmallVector<bool> factors(rule.sizes.size(), false);
  auto collect = [&](ValueRange values,
                     ArrayRef<ShardingRule::ValueFactors> dims) {
    for (auto [value, valueDims] : llvm::zip_equal(values, dims))
      for (auto [dim, dimFactors] : llvm::enumerate(valueDims)) {
        if (!isNarrowed(value, dim))
          continue;
        int factor = getLeadingFactor(rule, dimFactors);
        if (factor < 0 || rule.sizes[factor] % parts != 0 ||
            rule.kinds[factor] == FactorKind::Whole)
          return LogicalResult(op->emitOpError("cannot run on a part of the "
                                               "batch: expected all of "
                                               "dimension ")
                               << dim << " of " << value.getType());
        factors[factor] = true;
      }
    return success();
  };
  if (failed(collect(op->getOperands(), rule.operands)) ||
      failed(collect(op->getResults(), rule.results)))
    return failure();
  return factors;
}

LogicalResult Narrowing::visitRule(ShardingRuleOpInterface op) {
  ShardingRule rule = op.getShardingRule();
  FailureOr<SmallVector<bool>> factors = getNarrowedFactors(op, rule);
  if (failed(factors))
    return failure();
  auto spread = [&](ValueRange values,
                    ArrayRef<ShardingRule::ValueFactors> dims) {
    for (auto [value, valueDims] : llvm::zip_equal(values, dims))
      for (auto [dim, dimFactors] : llvm::enumerate(valueDims))
        for (int factor : dimFactors) {
          if (!(*factors)[factor])
            continue;
          if (factor != getLeadingFactor(rule, dimFactors))
            return LogicalResult(
                op->emitOpError("cannot run on a part of the batch: dimension ")
                << dim << " of " << value.getType()
                << " has the batch inside of it");
          narrow(value, dim);
        }
    return success();
  };
  return success(succeeded(spread(op->getOperands(), rule.operands)) &&
                 succeeded(spread(op->getResults(), rule.results)));
}

/// All reads and writes of a slot have the same narrowed dimensions.
LogicalResult Narrowing::visitSlot(Operation *op, FlatSymbolRefAttr name,
                                   Value value) {
  DimSet &dims = narrowedSlots[name.getAttr()];
  dims.resize(cast<RankedTensorType>(value.getType()).getRank(), false);
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim])
      narrow(value, dim);
    if (!isNarrowed(value, dim) || dims[dim])
      continue;
    dims[dim] = true;
    pending.insert_range(slotUsers.find(name.getAttr())->second);
  }
  return success();
}

LogicalResult Narrowing::visit(Operation *op) {
  if (auto rule = dyn_cast<ShardingRuleOpInterface>(op))
    return visitRule(rule);
  if (auto load = dyn_cast<SlotLoadOp>(op))
    return visitSlot(op, load.getSlotAttr(), load.getResult());
  if (auto store = dyn_cast<SlotStoreOp>(op))
    return visitSlot(op, store.getSlotAttr(), store.getValue());
  if (isa<InputOp>(op))
    return success();
  return op->emitOpError("cannot run on a part of the batch");
}

LogicalResult Narrowing::propagate() {
  step.walk([&](Operation *op) {
    if (auto load = dyn_cast<SlotLoadOp>(op))
      slotUsers[load.getSlotAttr().getAttr()].push_back(op);
    else if (auto store = dyn_cast<SlotStoreOp>(op))
      slotUsers[store.getSlotAttr().getAttr()].push_back(op);
  });
  step.walk([&](InputOp input) { narrow(input.getResult(), 0); });
  while (!pending.empty())
    if (failed(visit(pending.pop_back_val())))
      return failure();
  return success();
}

/// True where `op` gives parts of a sum when its operands are such parts.
static bool isLinear(Operation *op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return false;
  SmallVector<Value> reads;
  differentiable.getGradientReads(reads);
  return reads.empty();
}

/// Parts of zero are zero.
static bool isZero(Value value) {
  auto fill = value.getDefiningOp<FillOp>();
  return fill && fill.getValue().isZero();
}

LogicalResult Narrowing::checkPartialSums() {
  DenseSet<Value> partial;
  auto isPartial = [&](Value value) { return partial.contains(value); };
  auto check = [&](Operation *op) -> LogicalResult {
    if (auto accumulate = dyn_cast<SlotAccumulateOp>(op))
      if (!isPartial(accumulate.getValue()))
        return op->emitOpError("would add the same value once for each "
                               "micro-batch: expected a sum over the batch");
    if (isa<SlotAccumulateOp, ReportOp>(op))
      return success();
    if (llvm::any_of(op->getOperands(), isPartial)) {
      if (!isLinear(op) || !llvm::all_of(op->getOperands(), [&](Value value) {
            return isPartial(value) || isZero(value);
          }))
        return op->emitOpError("needs a sum over the whole batch, of which a "
                               "micro-batch only gives a part");
      partial.insert_range(op->getResults());
    }
    auto ruled = dyn_cast<ShardingRuleOpInterface>(op);
    if (!ruled)
      return success();
    ShardingRule rule = ruled.getShardingRule();
    FailureOr<SmallVector<bool>> factors = getNarrowedFactors(op, rule);
    if (failed(factors))
      return failure();
    for (auto [result, dims] :
         llvm::zip_equal(op->getResults(), rule.results)) {
      SmallVector<bool> summed = *factors;
      for (const ShardingRule::DimFactors &dim : dims)
        for (int factor : dim)
          summed[factor] = false;
      if (llvm::is_contained(summed, true))
        partial.insert(result);
    }
    return success();
  };
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() != SegmentKind::Update)
      for (Operation &op : getOps(segment))
        if (failed(check(&op)))
          return failure();
  return success();
}

void Narrowing::changeTypes() {
  auto getType = [&](Type type, ArrayRef<bool> dims) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    for (auto [size, isNarrowed] : llvm::zip_equal(shape, dims))
      if (isNarrowed)
        size /= parts;
    return tensor.clone(shape);
  };
  for (auto &[value, dims] : narrowed)
    value.setType(getType(value.getType(), dims));
  for (auto slot : step.getBody().front().getOps<SlotOp>())
    if (auto it = narrowedSlots.find(slot.getSymNameAttr());
        it != narrowedSlots.end())
      slot.setType(getType(slot.getType(), it->second));
}

/// The runs of the one micro-batch for each of `parts` micro-batches, updates
/// after all others.
static FailureOr<ArrayAttr> getSchedule(StepOp step, int64_t parts) {
  SmallVector<Attribute> batchRuns, lastRuns, runs;
  if (!step.getSchedule())
    return step.emitOpError("expected a schedule");
  for (auto run : step.getScheduleAttr().getAsRange<RunAttr>()) {
    if (run.getMicroBatch() != 0)
      return step.emitOpError("expected a schedule of one micro-batch");
    auto segment =
        cast<SegmentOp>(SymbolTable::lookupSymbolIn(step, run.getSegment()));
    bool isUpdate = segment.getKind() == SegmentKind::Update;
    (isUpdate ? lastRuns : batchRuns).push_back(run);
  }
  for (int64_t index = 0; index < parts; ++index)
    for (Attribute run : batchRuns)
      runs.push_back(RunAttr::get(step.getContext(),
                                  cast<RunAttr>(run).getSegment(), index));
  llvm::append_range(runs, lastRuns);
  return ArrayAttr::get(step.getContext(), runs);
}

static LogicalResult applyMicroBatch(StepOp step) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan)
    return success();
  FailureOr<std::optional<int64_t>> batch = getInputBatch(step);
  if (failed(batch))
    return failure();
  if (!*batch || **batch == plan.getMicroBatch()) {
    updatePlan(step, [](PlanFields &) {});
    return success();
  }
  if (**batch % plan.getMicroBatch() != 0)
    return step.emitOpError("expected a micro-batch that divides the batch of ")
           << **batch << " sequences, but got " << plan.getMicroBatch();
  int64_t parts = **batch / plan.getMicroBatch();
  FailureOr<ArrayAttr> schedule = getSchedule(step, parts);
  if (failed(schedule))
    return failure();
  Narrowing narrowing(step, parts);
  if (failed(narrowing.propagate()) || failed(narrowing.checkPartialSums()))
    return failure();
  narrowing.changeTypes();
  step.setScheduleAttr(*schedule);
  updatePlan(step, [](PlanFields &) {});
  return success();
}

void ApplyMicroBatch::runOnOperation() {
  if (failed(editStep(getOperation(), applyMicroBatch)))
    signalPassFailure();
}

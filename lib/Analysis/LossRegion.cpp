//===- LossRegion.cpp - The ops around the logits -------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream from the loss and downstream from all that is found, through values
// that have the tokens as their leading dimensions and as many elements as the
// logits or more. A matrix product is where it ends on either side, so that a
// hidden state as wide as the vocabulary stays out. Which dimensions the tokens
// are is followed through the ops' sharding rules. Linear in the uses.
//
//===----------------------------------------------------------------------===//

#include "nlp/Analysis/LossRegion.h"
#include "mlir/IR/BuiltinTypes.h"
#include "nlp/Interfaces/OpInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

namespace {
class RegionFinder {
public:
  explicit RegionFinder(Block &block) : block(block) {}

  LossRegion run();

private:
  /// Notes why there is no region.
  LogicalResult give(const Twine &reason) {
    if (region.reason.empty())
      region.reason = reason.str();
    return failure();
  }
  LogicalResult giveUp(Operation *op, const Twine &reason) {
    return give("'" + op->getName().getStringRef() + "' " + reason);
  }

  LogicalResult findLoss();
  LogicalResult addOp(Operation *op);
  LogicalResult addProducers(Operation *op);
  LogicalResult addUsers(Operation *op);
  LogicalResult followTokens(Operation *op, SmallVectorImpl<int> &tokens);
  LogicalResult setTokenDims(Operation *op, Value value, unsigned dims);
  LogicalResult checkResults(Operation *op);
  LogicalResult checkInputs();
  bool isWide(Value value) const;

  Block &block;
  LossRegion region;
  /// In the order in which they are found.
  llvm::SetVector<Operation *> members;
  /// Products that only use what is wide: their results lead out.
  llvm::SmallPtrSet<Operation *, 4> ends;
};
} // namespace

static bool isMatrixWork(Operation *op) {
  auto cost = dyn_cast<CostModelOpInterface>(op);
  return cost && cost.isMatrixWork();
}

static int64_t getNumElements(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getNumElements() : 0;
}

/// The dimensions of a value that come first and are made of `kind` only.
static unsigned countLeading(const ShardingRule &rule, const ValueFactors &dims,
                             FactorKind kind) {
  return llvm::find_if(dims,
                       [&](const ShardingRule::DimFactors &factors) {
                         return factors.empty() ||
                                llvm::any_of(factors, [&](int factor) {
                                  return rule.kinds[factor] != kind;
                                });
                       }) -
         dims.begin();
}

/// The number of the operand whose rows `op` needs whole and sums up to a
/// scalar; none where `op` is no loss.
static std::optional<unsigned> getLogitsOperand(ShardingRuleOpInterface op) {
  auto result = op->getNumResults() > 0
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
  if (!result || result.getRank() > 0 || !isa<DifferentiableOpInterface>(*op))
    return std::nullopt;
  ShardingRule rule = op.getShardingRule();
  for (auto [number, dims] : llvm::enumerate(rule.operands)) {
    unsigned rows = countLeading(rule, dims, FactorKind::Reduction);
    ValueFactors rest(dims.begin() + rows, dims.end());
    if (rows > 0 && !rest.empty() &&
        countLeading(rule, rest, FactorKind::Whole) == rest.size())
      return number;
  }
  return std::nullopt;
}

/// Appends the factors of more than one part of the first `count` of `dims`.
static void appendFactors(const ShardingRule &rule, const ValueFactors &dims,
                          unsigned count, SmallVectorImpl<int> &factors) {
  for (const ShardingRule::DimFactors &dim : ArrayRef(dims).take_front(count))
    llvm::copy_if(dim, std::back_inserter(factors),
                  [&](int factor) { return rule.sizes[factor] > 1; });
}

/// How many of `dims` come first and are made of exactly `tokens`: 0 where the
/// value has none of them, nothing where it has them in any other way.
static std::optional<unsigned> matchTokens(const ShardingRule &rule,
                                           const ValueFactors &dims,
                                           ArrayRef<int> tokens) {
  SmallVector<int> all;
  appendFactors(rule, dims, dims.size(), all);
  if (llvm::none_of(all, [&](int f) { return llvm::is_contained(tokens, f); }))
    return 0;
  for (unsigned count = 1; count <= dims.size(); ++count) {
    SmallVector<int> leading;
    appendFactors(rule, dims, count, leading);
    if (ArrayRef(leading) == tokens)
      return count;
  }
  return std::nullopt;
}

/// True for values that are as large as the logits.
bool RegionFinder::isWide(Value value) const {
  return region.getTokenDims(value) > 0 &&
         getNumElements(value) >= getNumElements(region.logits);
}

LogicalResult RegionFinder::setTokenDims(Operation *op, Value value,
                                         unsigned dims) {
  auto [it, isNew] = region.tokenDims.try_emplace(value, dims);
  if (it->second != dims)
    return giveUp(op, "has the tokens of a value in other dimensions");
  return success();
}

/// Gives all values of `op` their tokens, going by those that are known.
LogicalResult RegionFinder::followTokens(Operation *op,
                                         SmallVectorImpl<int> &tokens) {
  auto ruled = dyn_cast<ShardingRuleOpInterface>(op);
  if (!ruled)
    return giveUp(op, "uses the logits, but has no sharding rule");
  ShardingRule rule = ruled.getShardingRule();
  auto findKnown = [&](ValueRange values, ArrayRef<ValueFactors> dims) {
    for (auto [value, valueDims] : llvm::zip_equal(values, dims))
      if (unsigned count = region.getTokenDims(value); count && tokens.empty())
        appendFactors(rule, valueDims, count, tokens);
  };
  findKnown(op->getOperands(), rule.operands);
  findKnown(op->getResults(), rule.results);
  if (llvm::any_of(tokens, [&](int factor) {
        return rule.kinds[factor] == FactorKind::Whole;
      }))
    return giveUp(op, "needs all tokens at a time");
  auto setAll = [&](ValueRange values, ArrayRef<ValueFactors> dims) {
    for (auto [value, valueDims] : llvm::zip_equal(values, dims)) {
      std::optional<unsigned> count = matchTokens(rule, valueDims, tokens);
      if (!count)
        return giveUp(op, "has the tokens inside of other dimensions");
      if (failed(setTokenDims(op, value, *count)))
        return failure();
    }
    return success();
  };
  return success(succeeded(setAll(op->getOperands(), rule.operands)) &&
                 succeeded(setAll(op->getResults(), rule.results)));
}

/// A result either has the tokens or is a sum over them.
LogicalResult RegionFinder::checkResults(Operation *op) {
  ShardingRule rule = cast<ShardingRuleOpInterface>(op).getShardingRule();
  SmallVector<int> tokens;
  (void)followTokens(op, tokens);
  for (Value result : op->getResults())
    if (region.getTokenDims(result) == 0 && llvm::any_of(tokens, [&](int f) {
          return rule.kinds[f] != FactorKind::Reduction;
        }))
      return giveUp(op, "has a result that is no sum over the tokens");
  region.ops.push_back({op, tokens});
  return success();
}

LogicalResult RegionFinder::findLoss() {
  for (auto op : block.getOps<ShardingRuleOpInterface>()) {
    std::optional<unsigned> logits = getLogitsOperand(op);
    if (!logits)
      continue;
    if (region.loss)
      return give("there are several losses");
    region.loss = op;
    region.logits = op->getOperand(*logits);
    ShardingRule rule = op.getShardingRule();
    const ValueFactors &dims = rule.operands[*logits];
    SmallVector<int> tokens;
    appendFactors(rule, dims, countLeading(rule, dims, FactorKind::Reduction),
                  tokens);
    region.tokens = 1;
    for (int factor : tokens)
      region.tokens *= rule.sizes[factor];
    if (tokens.empty())
      return give("the loss has one token only");
    region.tokenDims[region.logits] = *matchTokens(rule, dims, tokens);
  }
  return region.loss ? success() : give("there is no loss");
}

LogicalResult RegionFinder::addOp(Operation *op) {
  if (op->getBlock() != &block)
    return giveUp(op, "uses the logits in another block");
  SmallVector<int> tokens;
  if (!members.contains(op) && failed(followTokens(op, tokens)))
    return failure();
  members.insert(op);
  return success();
}

/// Adds the ops that compute what `op` reads and that is wide. Ops without a
/// rule compute nothing: what they give is there already.
LogicalResult RegionFinder::addProducers(Operation *op) {
  SmallVector<Operation *> pending = {op};
  while (!pending.empty()) {
    Operation *reader = pending.pop_back_val();
    if (isMatrixWork(reader))
      continue;
    for (Value operand : reader->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !isWide(operand) || members.contains(producer) ||
          !isa<ShardingRuleOpInterface>(producer))
        continue;
      if (failed(addOp(producer)))
        return failure();
      pending.push_back(producer);
    }
  }
  return success();
}

/// Adds the ops that use what `op` computes and that is wide.
LogicalResult RegionFinder::addUsers(Operation *op) {
  if (ends.contains(op))
    return success();
  for (Value result : op->getResults()) {
    if (!isWide(result))
      continue;
    for (Operation *user : result.getUsers()) {
      if (members.contains(user))
        continue;
      if (failed(addOp(user)))
        return failure();
      if (isMatrixWork(user))
        ends.insert(user);
      if (failed(addProducers(user)))
        return failure();
    }
  }
  return success();
}

/// Collects what enters. Sums over the tokens are not there before the last of
/// them, and neither is anything that depends on what the region computes.
LogicalResult RegionFinder::checkInputs() {
  llvm::SetVector<Value> inputs;
  llvm::SmallPtrSet<Operation *, 16> dependent;
  for (Operation &op : block) {
    bool isMember = members.contains(&op);
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      bool isInside = def && members.contains(def);
      if (!isMember) {
        if (isInside || (def && dependent.contains(def)))
          dependent.insert(&op);
        continue;
      }
      if (isInside && region.getTokenDims(operand) == 0)
        return giveUp(&op, "reads a sum over the tokens");
      if (def && dependent.contains(def))
        return giveUp(&op, "reads what depends on the logits of other tokens");
      if (!isInside)
        inputs.insert(operand);
    }
  }
  region.inputs = inputs.takeVector();
  return success();
}

LossRegion RegionFinder::run() {
  auto find = [&]() -> LogicalResult {
    if (failed(findLoss()) || failed(addOp(region.loss)) ||
        failed(addProducers(region.loss)))
      return failure();
    if (llvm::none_of(members, isMatrixWork))
      return give("the logits do not come from a matrix product");
    for (size_t next = 0; next < members.size(); ++next)
      if (failed(addUsers(members[next])))
        return failure();
    if (failed(checkInputs()))
      return failure();
    for (Operation &op : block)
      if (members.contains(&op) && failed(checkResults(&op)))
        return failure();
    return success();
  };
  if (failed(find()))
    region.ops.clear();
  return std::move(region);
}

LossRegion nlp::findLossRegion(Block &block) {
  return RegionFinder(block).run();
}

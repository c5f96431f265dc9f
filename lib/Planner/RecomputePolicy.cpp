//===- RecomputePolicy.cpp - Recomputation as other tools fix it ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes marks only; what they say is recomputed just before it is used. What a
// block hands to other ops of the forward pass is the next block's input, and
// kept. Linear in the ops and their uses.
//
//===----------------------------------------------------------------------===//

#include "nlp/Planner/RecomputePolicy.h"
#include "SetStorage.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nlp;

llvm::Expected<RecomputePolicy> RecomputePolicy::parse(StringRef text) {
  RecomputePolicy policy;
  StringRef whole = text;
  auto fail = [&] {
    return makeError("expected auto, none, block, attention, N,N,... or "
                     "keep:OP,..., but got '" +
                     whole + "'");
  };
  if (text == "block")
    return policy;
  if (text == "attention") {
    policy.recomputed.push_back("attention");
    return policy;
  }
  bool isKeep = text.consume_front("keep:");
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    int64_t count = 0;
    if (part.empty() ||
        (!isKeep && (part.getAsInteger(10, count) || count < 0)))
      return fail();
    if (isKeep)
      policy.kept.push_back(part.str());
    else
      policy.firstBlocks.push_back(count);
  }
  return policy;
}

/// The block of a user-level place: up to its first number, "h.3" of
/// "h.3.attn"; empty where it has none.
static StringRef getBlock(StringRef place) {
  size_t begin = 0;
  while (begin < place.size()) {
    size_t end = std::min(place.find('.', begin), place.size());
    StringRef part = place.slice(begin, end);
    if (!part.empty() && llvm::all_of(part, llvm::isDigit))
      return place.take_front(end);
    begin = end + 1;
  }
  return "";
}

static bool isNamed(Operation *op, StringRef name) {
  return op->getName().stripDialect() == name ||
         getPlace(op->getLoc()).rsplit('.').second == name;
}

static bool isNamed(Operation *op, ArrayRef<std::string> names) {
  return llvm::any_of(names, [&](StringRef name) { return isNamed(op, name); });
}

namespace {
/// The forward ops of a segment by block, in order.
struct Blocks {
  explicit Blocks(SegmentOp segment);

  llvm::MapVector<StringRef, SmallVector<Operation *>> ops;
  Operation *turn = nullptr;
};
} // namespace

Blocks::Blocks(SegmentOp segment) {
  for (Operation &op : segment.getBody().front()) {
    if (isa<TurnOp>(op)) {
      turn = &op;
      break;
    }
    auto recompute = dyn_cast<RecomputeOpInterface>(op);
    StringRef block = getBlock(getPlace(op.getLoc()));
    if (recompute && !block.empty() &&
        recompute.getRecomputeKind() != RecomputeKind::Never)
      ops[block].push_back(&op);
  }
}

/// True where `value` leaves its block within the forward pass.
static bool isHandedOn(Value value, StringRef block, Operation *turn) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->isBeforeInBlock(turn) &&
           getBlock(getPlace(user->getLoc())) != block;
  });
}

llvm::Error nlp::applyRecomputePolicy(StepOp step,
                                      const RecomputePolicy &policy) {
  SegmentOp segment;
  for (auto candidate : step.getBody().front().getOps<SegmentOp>())
    if (candidate.getKind() == SegmentKind::ForwardBackward)
      segment = candidate;
  if (!segment)
    return makeError("--recompute: expected a step whose backward pass follows "
                     "its forward pass");
  Blocks blocks(segment);
  if (blocks.ops.empty())
    return makeError("--recompute: expected a model of numbered blocks");
  if (policy.firstBlocks.size() > 1)
    return makeError("--recompute: expected one number for each of 1 pipeline "
                     "stages, but got " +
                     Twine(policy.firstBlocks.size()));
  int64_t count = policy.firstBlocks.empty() ? blocks.ops.size()
                                             : policy.firstBlocks.front();
  if (count > static_cast<int64_t>(blocks.ops.size()))
    return makeError("--recompute: expected at most " +
                     Twine(blocks.ops.size()) + " blocks, but got " +
                     Twine(count));
  for (const std::string &name :
       llvm::concat<const std::string>(policy.kept, policy.recomputed))
    if (llvm::none_of(blocks.ops, [&](const auto &block) {
          return llvm::any_of(block.second, [&](Operation *op) {
            return isNamed(op, StringRef(name));
          });
        }))
      return makeError("--recompute: no block has an op '" + name + "'");
  segment.removeOrderAttr();
  segment.walk([](PlannedOpInterface op) { setStorage(op, {}); });
  for (auto &[block, ops] : blocks.ops) {
    if (count-- <= 0)
      break;
    for (Operation *op : ops) {
      bool isKept = isNamed(op, policy.kept),
           isListed = isNamed(op, policy.recomputed);
      if (isKept || (!policy.recomputed.empty() && !isListed))
        continue;
      SmallVector<StorageKind> storage;
      for (Value result : op->getResults())
        storage.push_back(isHandedOn(result, block, blocks.turn)
                              ? StorageKind::Keep
                              : StorageKind::Recompute);
      if (llvm::is_contained(storage, StorageKind::Recompute))
        setStorage(cast<PlannedOpInterface>(op), storage);
    }
  }
  return llvm::Error::success();
}

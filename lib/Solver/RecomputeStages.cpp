//===- RecomputeStages.cpp - Cuts programs into stages ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the chain in a program. Storages that are read all along the forward
// pass, those that are read outside their window and those that cannot be made
// again are pinned: no obstacle then, but live in every plan. Between stages
// exactly one other storage leads on.
// Stages are numbered by kind through a signature of all that matters. Linear,
// but for the few rounds that pinning takes.
//
//===----------------------------------------------------------------------===//

#include "RecomputeChain.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace nlp::solver;

/// More stages are joined: tables grow with their square.
static constexpr size_t kMaxStages = 224;
/// A stage of more ops is no stage.
static constexpr int32_t kMaxStageOps = 2000;
/// Ops that may be simulated for all items and for one.
static constexpr int64_t kChainWork = 200'000'000, kItemWork = 3'000'000;
/// A storage that is read by so many ops over such a share of the forward pass
/// is pinned.
static constexpr size_t kWideUsers = 4;
static constexpr int32_t kWideShare = 4;
/// Pinned storages may make up so large a share of all forward bytes.
static constexpr int64_t kPinnedShare = 8;

int32_t nlp::solver::findTurn(const RecomputeProgram &program) {
  int32_t count = program.getNumOps();
  if (program.problem.firstFixed < count)
    return program.problem.firstFixed;
  // Where most bytes are live: what the forward pass has put out and the
  // backward pass reads.
  std::vector<int32_t> order(count);
  for (int32_t i = 0; i < count; ++i)
    order[i] = i;
  std::vector<int64_t> before;
  replayOrder(program, order, nullptr, nullptr, &before);
  return std::max_element(before.begin(), before.begin() + count) -
         before.begin();
}

namespace {
/// Builds a chain step by step.
class ChainFinder {
public:
  explicit ChainFinder(const RecomputeProgram &program) : program(program) {}
  std::optional<Chain> find();

private:
  struct Storage {
    int32_t firstOp = -1;     ///< Forward op that puts it out, or -1.
    int32_t lastForward = -1; ///< Last forward op that touches it.
    size_t forwardUsers = 0;
  };

  void findStorages();
  void pinWide();
  void cut();
  void joinStages();
  bool assignWindows();
  std::vector<int32_t> getLastNeeds() const;
  void extendLasting(RecomputeProblem &fixed) const;
  void computeBase();
  void numberKinds();
  std::vector<int64_t> getSignature(int32_t stage) const;
  bool isOwn(int32_t storage) const {
    return storages[storage].firstOp >= 0 && !chain.isPinned[storage];
  }
  /// Whether an op that runs once makes the storage, so that its bytes are live
  /// from there to its last use, no longer.
  bool isLasting(int32_t storage) const {
    return storages[storage].firstOp >= 0 && program.canRebuild[storage] &&
           !program.canDrop[storage];
  }
  int32_t getStage(int32_t op) const { return stageOfOp[op]; }

  const RecomputeProgram &program;
  Chain chain;
  std::vector<Storage> storages;
  std::vector<int32_t> stageOfOp;
};
} // namespace

/// Calls `visit` with the storage of each operand that takes bytes.
template <typename Visit>
static void forEachStorage(const RecomputeProgram &program, int32_t op,
                           Visit visit) {
  for (int32_t value : program.getOp(op).inputs)
    if (program.getBytes(value) > 0)
      visit(program.storages[value]);
  for (int32_t value : program.getOp(op).outputs)
    if (program.getBytes(value) > 0)
      visit(program.storages[value]);
}

void ChainFinder::findStorages() {
  storages.assign(program.getNumValues(), {});
  for (int32_t i = 0; i < chain.turn; ++i)
    forEachStorage(program, i, [&](int32_t s) {
      if (storages[s].firstOp < 0)
        storages[s].firstOp = i;
      storages[s].forwardUsers += storages[s].lastForward != i;
      storages[s].lastForward = i;
    });
}

/// Pins results, storages that cannot be made again as a whole, and those that
/// are read all along.
void ChainFinder::pinWide() {
  chain.isPinned.assign(program.getNumValues(), 0);
  for (int32_t result : program.problem.results)
    chain.isPinned[program.storages[result]] = 1;
  for (size_t s = 0; s < storages.size(); ++s)
    if (!program.canDrop[s] || (storages[s].forwardUsers > kWideUsers &&
                                storages[s].lastForward - storages[s].firstOp >
                                    chain.turn / kWideShare))
      chain.isPinned[s] = 1;
}

/// Cuts between forward ops that one storage, or none, leads across, but not
/// twice at the same one: what stands between does not need it to go on.
void ChainFinder::cut() {
  chain.stages.clear();
  // The sum of the numbers of what crosses is its number where it is one.
  std::vector<int32_t> crossing(chain.turn + 1, 0);
  std::vector<int64_t> numbers(chain.turn + 1, 0);
  for (size_t s = 0; s < storages.size(); ++s) {
    if (!isOwn(s) || storages[s].lastForward <= storages[s].firstOp)
      continue;
    ++crossing[storages[s].firstOp + 1];
    --crossing[storages[s].lastForward + 1];
    numbers[storages[s].firstOp + 1] += s;
    numbers[storages[s].lastForward + 1] -= s;
  }
  ChainStage stage;
  int32_t count = 0;
  int64_t number = 0;
  bool isEmpty = true; // no op of the stage so far touches anything
  for (int32_t i = 0; i < chain.turn; ++i) {
    count += crossing[i];
    number += numbers[i];
    int64_t boundary = count == 1 ? number : -1;
    if (count <= 1 && !isEmpty &&
        (boundary < 0 || boundary != stage.boundary)) {
      stage.opEnd = i;
      chain.stages.push_back(stage);
      stage.opBegin = i;
      stage.boundary = boundary;
      isEmpty = true;
    }
    forEachStorage(program, i, [&](int32_t s) { isEmpty &= !isOwn(s); });
  }
  stage.opEnd = chain.turn;
  chain.stages.push_back(stage);
}

/// Joins neighbours until there are few enough stages; of two cuts next to each
/// other the one with the smaller boundary stays.
void ChainFinder::joinStages() {
  while (chain.stages.size() > kMaxStages) {
    std::vector<ChainStage> joined{chain.stages.front()};
    for (size_t i = 1; i < chain.stages.size(); i += 2) {
      size_t keep = i;
      if (i + 1 < chain.stages.size() &&
          chain.getBoundaryBytes(i + 1) < chain.getBoundaryBytes(i))
        keep = i + 1;
      joined.back().opEnd = chain.stages[keep].opBegin;
      joined.push_back(chain.stages[keep]);
    }
    joined.back().opEnd = chain.turn;
    chain.stages = std::move(joined);
  }
}

/// Finds the window of each stage. Storages read outside theirs are pinned, and
/// then the stages have to be found anew: false.
bool ChainFinder::assignWindows() {
  int32_t last = chain.stages.size() - 1, current = last;
  stageOfOp.assign(chain.turn, 0);
  for (int32_t s = 0; s <= last; ++s)
    std::fill(stageOfOp.begin() + chain.stages[s].opBegin,
              stageOfOp.begin() + chain.stages[s].opEnd, s);
  auto isBoundaryInto = [&](int32_t storage, int32_t stage) {
    return chain.stages[stage].boundary == storage;
  };
  // A storage may be read in the window of its stage and, where it leads into
  // other stages, in theirs.
  auto getHighest = [&](int32_t storage) {
    int32_t stage = getStage(storages[storage].firstOp);
    while (stage < last && isBoundaryInto(storage, stage + 1))
      ++stage;
    return stage;
  };
  chain.stages[last].windowBegin = chain.turn;
  bool pinned = false;
  for (int32_t t = chain.turn; t < static_cast<int32_t>(program.getNumOps());
       ++t) {
    // The window is as far on as the storage that allows the least.
    int32_t window = current;
    forEachStorage(program, t, [&](int32_t s) {
      if (isOwn(s))
        window = std::min(window, getHighest(s));
    });
    forEachStorage(program, t, [&](int32_t s) {
      if (isOwn(s) && getStage(storages[s].firstOp) > window) {
        chain.isPinned[s] = 1;
        pinned = true;
      }
    });
    for (; current > window; --current) {
      chain.stages[current].windowEnd = t;
      chain.stages[current - 1].windowBegin = t;
    }
  }
  for (; current >= 0; --current) {
    chain.stages[current].windowEnd = program.getNumOps();
    if (current > 0)
      chain.stages[current - 1].windowBegin = program.getNumOps();
  }
  return !pinned;
}

/// The last op behind the turn, for each one before it, that reads what it or
/// an op that depends on it puts out; -1 where none does.
std::vector<int32_t> ChainFinder::getLastNeeds() const {
  std::vector<int32_t> needs(chain.turn, -1);
  for (int32_t i = chain.turn; i-- > 0;)
    for (int32_t output : program.getOp(i).outputs)
      for (int32_t user : program.users[output])
        needs[i] = std::max(needs[i], user < chain.turn ? needs[user] : user);
  return needs;
}

/// Has lasting storages read where ops that read them may last run again.
void ChainFinder::extendLasting(RecomputeProblem &fixed) const {
  std::vector<int32_t> needs = getLastNeeds();
  for (int32_t i = 0; i < chain.turn; ++i) {
    if (program.isFixed(i))
      continue;
    int32_t last = std::min(needs[i], chain.stages[getStage(i)].windowEnd - 1);
    if (last < chain.turn)
      continue;
    forEachStorage(program, i, [&](int32_t s) {
      if (isLasting(s) && !is_contained(fixed.ops[last].inputs, s))
        fixed.ops[last].inputs.push_back(s);
    });
  }
}

void ChainFinder::computeBase() {
  RecomputeProblem fixed = program.problem;
  chain.residentBytes = program.constantBytes;
  int64_t alwaysLive = 0;
  for (size_t s = 0; s < storages.size(); ++s) {
    if (storages[s].firstOp < 0)
      continue;
    if (chain.isPinned[s])
      chain.residentBytes += program.storageBytes[s];
    if (isLasting(s))
      continue;
    if (chain.isPinned[s])
      alwaysLive += program.storageBytes[s];
    fixed.values[s].bytes = 0;
  }
  extendLasting(fixed);
  RecomputeProgram fixedProgram(fixed);
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  replayOrder(fixedProgram, order, nullptr, &chain.baseDuring,
              &chain.baseBefore);
  for (int64_t &bytes : chain.baseDuring)
    bytes += alwaysLive;
  for (int64_t &bytes : chain.baseBefore)
    bytes += alwaysLive;
}

/// All that decides what a stage costs, with its values by position.
std::vector<int64_t> ChainFinder::getSignature(int32_t index) const {
  const ChainStage &stage = chain.stages[index];
  std::map<int32_t, int64_t> local; // value to number
  std::vector<int64_t> signature;
  auto addSeconds = [&](double seconds) {
    int64_t bits;
    std::memcpy(&bits, &seconds, sizeof bits);
    signature.push_back(bits);
  };
  auto addValue = [&](int32_t value, bool isForward) {
    int32_t storage = program.storages[value];
    if (!isOwn(storage))
      return signature.push_back(isForward ? -1 : -2);
    if (storage == stage.boundary)
      signature.push_back(-3);
    auto [it, isNew] = local.try_emplace(value, local.size());
    signature.push_back(it->second);
    if (isNew) {
      auto [root, rootIsNew] = local.try_emplace(storage, local.size());
      signature.insert(signature.end(),
                       {root->second, program.getBytes(value)});
    }
  };
  signature.insert(signature.end(),
                   {chain.getBoundaryBytes(index), stage.sharesBoundary});
  bool isLast = index + 1 == static_cast<int32_t>(chain.stages.size());
  for (int32_t i = stage.opBegin; i < stage.opEnd; ++i) {
    const ProgramOp &op = program.getOp(i);
    addSeconds(op.seconds);
    signature.insert(signature.end(),
                     {op.workspaceBytes, static_cast<int64_t>(op.inputs.size()),
                      static_cast<int64_t>(op.outputs.size())});
    for (int32_t value : op.inputs)
      addValue(value, true);
    for (int32_t value : op.outputs)
      addValue(value, true);
    for (auto [output, input] : op.inPlace)
      signature.insert(signature.end(), {-4, output, input});
  }
  int32_t out = isLast ? -1 : chain.stages[index + 1].boundary;
  signature.insert(signature.end(), {-5, out < 0 ? -1 : local[out]});
  int64_t base = chain.getBase(index);
  for (int32_t t = stage.windowBegin; t < stage.windowEnd; ++t) {
    const ProgramOp &op = program.getOp(t);
    signature.insert(signature.end(), {-6, chain.baseDuring[t] - base,
                                       chain.baseBefore[t] - base});
    for (int32_t value : op.inputs)
      if (isOwn(program.storages[value]))
        addValue(value, false);
    for (auto [output, input] : op.inPlace)
      if (isOwn(program.storages[op.inputs[input]]))
        signature.insert(signature.end(),
                         {-7, program.getBytes(op.outputs[output])});
  }
  signature.push_back(chain.baseBefore[stage.windowEnd] - base);
  return signature;
}

void ChainFinder::numberKinds() {
  std::map<std::vector<int64_t>, int32_t> kinds;
  for (size_t s = 0; s < chain.stages.size(); ++s) {
    ChainStage &stage = chain.stages[s];
    for (int32_t t = stage.windowEnd;
         s > 0 && t < chain.stages[s - 1].windowEnd; ++t)
      forEachStorage(program, t, [&](int32_t storage) {
        stage.sharesBoundary |= storage == stage.boundary;
      });
    stage.kind = kinds.try_emplace(getSignature(s), kinds.size()).first->second;
  }
  chain.itemWork = std::min<int64_t>(kItemWork, kChainWork / kinds.size());
}

std::optional<Chain> ChainFinder::find() {
  chain.program = &program;
  chain.turn = findTurn(program);
  if (chain.turn < 2)
    return std::nullopt;
  findStorages();
  pinWide();
  // Each round pins more; a chain takes one or two.
  for (int round = 0;; ++round) {
    if (round == 4)
      return std::nullopt;
    cut();
    if (chain.stages.size() < 2)
      return std::nullopt;
    joinStages();
    if (assignWindows())
      break;
  }
  int64_t pinnedBytes = 0, allBytes = 0;
  for (size_t s = 0; s < storages.size(); ++s) {
    if (storages[s].firstOp < 0 || isLasting(s))
      continue;
    allBytes += program.storageBytes[s];
    pinnedBytes += chain.isPinned[s] ? program.storageBytes[s] : 0;
  }
  if (pinnedBytes > allBytes / kPinnedShare)
    return std::nullopt;
  if (any_of(chain.stages, [](const ChainStage &stage) {
        return stage.opEnd - stage.opBegin > kMaxStageOps;
      }))
    return std::nullopt;
  computeBase();
  numberKinds();
  return std::move(chain);
}

std::optional<Chain> nlp::solver::findChain(const RecomputeProgram &program) {
  return ChainFinder(program).find();
}

//===- PlanMemory.cpp - Offsets of all buffers in one arena ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lifetimes in, offsets out: the packing itself is the solver's. Cost: one walk
// over the unrolled program, then the solver's work limits.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include "nlp/Solver/ArenaPacking.h"

namespace nlp::rt {
#define GEN_PASS_DEF_PLANMEMORY
#include "nlp/Dialect/NLPRT/Transforms/Passes.h.inc"
} // namespace nlp::rt

using namespace mlir;
using namespace nlp;
using namespace nlp::rt;

namespace {
struct PlanMemory : nlp::rt::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override;
};
} // namespace

/// Places start at cache lines: vectors never straddle two.
constexpr int64_t alignmentBytes = 64;

static solver::PackingProblem getProblem(const ProgramLifetimes &lifetimes) {
  solver::PackingProblem problem;
  for (const BufferLifetime &buffer : lifetimes.buffers) {
    solver::PackingBuffer item;
    // Whole cache lines, so that no two buffers share one.
    item.bytes = llvm::alignTo(buffer.bytes, alignmentBytes);
    item.alignment = alignmentBytes;
    for (auto [begin, end] : buffer.live)
      item.live.push_back({begin, end});
    // Any place does for what is never used.
    if (item.live.empty())
      item.fixedOffset = 0;
    problem.buffers.push_back(std::move(item));
  }
  return problem;
}

static LogicalResult planProgram(ProgramOp program, int64_t searchWork) {
  ProgramLifetimes lifetimes = getLifetimes(program);
  solver::PackingProblem problem = getProblem(lifetimes);
  if (std::optional<std::string> wrong = problem.check())
    return program.emitOpError("cannot be packed: ") << *wrong;
  solver::PackingOptions options;
  options.searchWork = searchWork;
  options.improveWork = searchWork / 2;
  solver::PackingSolution solution = solver::packArena(problem, options);
  if (std::optional<std::string> wrong = solution.verify(problem))
    return program.emitOpError("got a wrong packing: ") << *wrong;

  llvm::DenseMap<Operation *, SmallVector<int64_t>> offsets;
  for (auto [buffer, offset] : llvm::zip(lifetimes.buffers, solution.offsets))
    offsets[buffer.op].push_back(offset);
  for (auto &[op, places] : offsets) {
    if (auto buffer = dyn_cast<BufferOp>(op))
      buffer.setOffsets(places);
    else
      cast<AllocOp>(op).setOffset(places.front());
  }
  program.setArenaBytes(llvm::alignTo(solution.height, alignmentBytes));
  return success();
}

void PlanMemory::runOnOperation() {
  for (auto program : getOperation().getOps<ProgramOp>())
    if (failed(planProgram(program, searchWork)))
      return signalPassFailure();
}

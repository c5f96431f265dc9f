//===- NLPToNLPRT.cpp - From a step on tensors to a program on buffers ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the module: a buffer for each symbol and slot, then segment by
// segment, op by op, in order. The new program is built beside the step and
// takes its place only when everything could be lowered.
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Conversion/SegmentLaunches.h"
#include "nlp/Dialect/NLP/IR/Schedule.h"
#include "llvm/ADT/ScopeExit.h"
#include <thread>

namespace nlp {
#define GEN_PASS_DEF_CONVERTNLPTONLPRT
#include "nlp/Conversion/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ConvertNLPToNLPRT : nlp::impl::ConvertNLPToNLPRTBase<ConvertNLPToNLPRT> {
  using ConvertNLPToNLPRTBase::ConvertNLPToNLPRTBase;

  void runOnOperation() override;
};
} // namespace

/// The kinds of segments and routines have the same numbers.
static rt::RoutineKind getRoutineKind(SegmentKind kind) {
  return static_cast<rt::RoutineKind>(kind);
}

/// Sequences of a micro-batch: of the inputs, where there are any.
static int64_t getMicroBatch(StepOp step) {
  int64_t size = std::max<int64_t>(1, step.getModel()->getGlobalBatch() /
                                          countMicroBatches(step));
  step.walk([&](InputOp input) {
    size = cast<RankedTensorType>(input.getResult().getType()).getDimSize(0);
  });
  return size;
}

static rt::ProgramOp createProgram(StepOp step, int64_t threads) {
  OpBuilder builder(step);
  SmallVector<Attribute> runs;
  for (Attribute attr : step.getScheduleAttr()) {
    auto run = cast<RunAttr>(attr);
    runs.push_back(rt::RunAttr::get(builder.getContext(), run.getSegment(),
                                    run.getMicroBatch()));
  }
  ModelAttr model = *step.getModel();
  auto program = rt::ProgramOp::create(
      builder, step.getLoc(), step.getSymName(), /*sym_visibility=*/nullptr,
      model.getName().getValue(), model.getGlobalBatch(), getMicroBatch(step),
      model.getSeqLen(), model.getVocabSize(), threads,
      builder.getArrayAttr(runs), /*arena_bytes=*/nullptr, /*plan=*/nullptr);
  program.getBody().emplaceBlock();
  return program;
}

/// Declares the buffers of parameters, states and slots.
static LogicalResult declareBuffers(ModuleOp module, StepOp step,
                                    ProgramBuffers &buffers) {
  for (auto parameter : module.getOps<ParameterOp>()) {
    FailureOr<rt::BufferOp> buffer = buffers.getOrCreate(
        parameter.getSymName(), parameter.getLoc(),
        getBufferType(parameter.getType()), rt::BufferKind::Parameter,
        rt::Category::Parameters);
    if (failed(buffer))
      return failure();
    buffer->setInit(static_cast<int64_t>(parameter.getInit()));
    buffer->setInitScale(parameter.getInitScale());
    buffer->setDecay(parameter.getDecay());
    buffer->setFrozen(parameter.getFrozen());
    buffers.symbols[parameter.getSymName()] = parameter.getSymName().str();
  }
  for (auto state : module.getOps<StateOp>()) {
    std::string name = ("state." + state.getSymName()).str();
    if (failed(buffers.getOrCreate(
            name, state.getLoc(), getBufferType(state.getType()),
            rt::BufferKind::State, rt::Category::Optimizer)))
      return failure();
    buffers.symbols[state.getSymName()] = name;
  }
  for (auto slot : step.getOps<SlotOp>()) {
    std::string name = ("slot." + slot.getSymName()).str();
    FailureOr<rt::BufferOp> buffer =
        buffers.getOrCreate(name, slot.getLoc(), getBufferType(slot.getType()),
                            slot.getAccumulate() ? rt::BufferKind::Accumulator
                                                 : rt::BufferKind::Slot,
                            slot.getParameter() ? rt::Category::Gradients
                                                : rt::Category::Activations);
    if (failed(buffer))
      return failure();
    if (!slot.getAccumulate())
      buffer->setInstances(buffers.microBatches);
    buffers.slots[slot.getSymName()] = name;
  }
  return success();
}

/// Notes, for each slot, the addition that a micro-batch does first: the first
/// one in the segment that its schedule comes to first.
static void findFirstAdditions(StepOp step, ProgramBuffers &buffers) {
  llvm::SmallDenseSet<StringAttr> seen;
  for (Attribute run : step.getScheduleAttr()) {
    auto segment = cast<SegmentOp>(mlir::SymbolTable::lookupSymbolIn(
        step, cast<RunAttr>(run).getSegment()));
    for (auto add : segment.getBody().front().getOps<SlotAccumulateOp>())
      if (seen.insert(add.getSlotAttr().getAttr()).second)
        buffers.firstAdditions.insert(add);
  }
}

static LogicalResult checkStep(ModuleOp module, StepOp &step) {
  auto steps = llvm::to_vector(module.getOps<StepOp>());
  if (steps.size() != 1)
    return module.emitError("expected one nlp.step in the module, but got ")
           << steps.size();
  step = steps.front();
  if (!step.getModel())
    return step.emitOpError("expected a model attribute");
  if (!step.getSchedule())
    return step.emitOpError("expected a schedule: differentiate the graph and "
                            "add an optimizer first");
  return success();
}

/// The program of `step` with all its buffers and no routine yet. Where this
/// fails, the program is there all the same.
static LogicalResult beginProgram(ModuleOp module, StepOp step, int64_t threads,
                                  ProgramBuffers &buffers) {
  if (threads < 1)
    threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4096u);
  buffers.program = createProgram(step, threads);
  buffers.microBatches = countMicroBatches(step);
  if (failed(declareBuffers(module, step, buffers)))
    return failure();
  findFirstAdditions(step, buffers);
  return success();
}

/// Adds the routine of `segment`.
static LogicalResult lowerSegment(SegmentOp segment, ProgramBuffers &buffers,
                                  LaunchVisitor visit = nullptr) {
  auto builder = OpBuilder::atBlockEnd(&buffers.program.getBody().front());
  auto routine = rt::RoutineOp::create(
      builder, segment.getLoc(), segment.getSymName(),
      /*sym_visibility=*/nullptr, getRoutineKind(segment.getKind()));
  routine.getBody().emplaceBlock();
  return SegmentLowering(buffers, routine).run(segment, visit);
}

LogicalResult nlp::visitLaunches(SegmentOp segment, int64_t threads,
                                 LaunchVisitor visit) {
  // As a pass would have it done.
  segment.getContext()
      ->loadDialect<arith::ArithDialect, math::MathDialect,
                    memref::MemRefDialect, rt::NLPRTDialect>();
  auto step = segment->getParentOfType<StepOp>();
  ProgramBuffers buffers;
  llvm::scope_exit made([&] { buffers.program.erase(); });
  if (failed(beginProgram(step->getParentOfType<ModuleOp>(), step, threads,
                          buffers)))
    return failure();
  return lowerSegment(segment, buffers, visit);
}

static LogicalResult convert(ModuleOp module, int64_t threads) {
  StepOp step;
  if (failed(checkStep(module, step)))
    return failure();
  ProgramBuffers buffers;
  llvm::scope_exit made([&] { buffers.program.erase(); });
  if (failed(beginProgram(module, step, threads, buffers)))
    return failure();
  for (auto segment : step.getOps<SegmentOp>())
    if (failed(lowerSegment(segment, buffers)))
      return failure();
  made.release();
  step.erase();
  for (auto parameter :
       llvm::make_early_inc_range(module.getOps<ParameterOp>()))
    parameter.erase();
  for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>()))
    state.erase();
  return success();
}

void ConvertNLPToNLPRT::runOnOperation() {
  if (failed(convert(getOperation(), threads)))
    signalPassFailure();
}

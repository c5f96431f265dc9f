//===- CheckRequest.cpp - What is asked against what there is ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options that contradict one another, or decisions that the module already
// holds, are wrong usage; what is sound but not built yet says so.
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/ImportOptions.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Pipelines/PlanSession.h"
#include "nlp/Planner/RecomputePolicy.h"
#include "nlp/Support/Units.h"

using namespace mlir;
using namespace nlp;
using llvm::Error;
using llvm::Twine;

/// --OPTION: expected FOUND, as the module has, but got ASKED.
static Error contradict(StringRef option, const Twine &found,
                        const Twine &asked) {
  return llvm::make_error<UsageError>(option + ": expected " + found +
                                      ", as the module has, but got " + asked);
}

/// Optimizer and clipping of a joint step.
static Error checkUpdate(StepOp step, const PlanRequest &request) {
  StringRef optimizer;
  bool clips = false;
  step.walk([&](Operation *op) {
    if (auto factor = dyn_cast<ClipFactorOp>(op))
      clips = !factor.getFactor().use_empty();
    else if (isa<AdamWOp>(op))
      optimizer = "adamw";
    else if (isa<SGDOp>(op))
      optimizer = "sgd";
  });
  if (request.optimizer && !optimizer.empty() &&
      *request.optimizer != optimizer)
    return contradict("--optimizer", optimizer, *request.optimizer);
  if (request.clip && !optimizer.empty() && *request.clip != clips)
    return contradict("--clip", clips ? "on" : "off",
                      *request.clip ? "on" : "off");
  return Error::success();
}

/// The decisions of a planned step.
static Error checkPlan(StepOp step, const PlanRequest &request) {
  PlanAttr plan = step.getPlanAttr();
  MeshAttr mesh = plan.getMesh();
  const std::tuple<const char *, std::optional<int64_t>, int64_t> numbers[] = {
      {"--dp", request.dp, mesh.getDp()},
      {"--tp", request.tp, mesh.getTp()},
      {"--pp", request.pp, mesh.getPp()},
      {"--cp", request.cp, mesh.getCp()},
      {"--ep", request.ep, mesh.getEp()},
      {"--zero", request.zero, plan.getZero()},
      {"--micro-batch", request.microBatch, plan.getMicroBatch()},
      {"--loss-chunks", request.lossChunks, countLossChunks(step)}};
  for (auto [option, asked, found] : numbers)
    if (asked && *asked != found)
      return contradict(option, Twine(found), Twine(*asked));
  if (request.sequenceParallel &&
      *request.sequenceParallel != plan.getSequenceParallel())
    return contradict("--sequence-parallel",
                      plan.getSequenceParallel() ? "on" : "off",
                      *request.sequenceParallel ? "on" : "off");
  if (request.numerics &&
      *request.numerics != stringifyNumerics(plan.getNumerics()))
    return contradict("--numerics", stringifyNumerics(plan.getNumerics()),
                      *request.numerics);
  std::string schedule = getScheduleName(plan.getSchedule());
  if (request.schedule && *request.schedule != schedule)
    return contradict("--schedule", schedule, *request.schedule);
  return Error::success();
}

static Error checkDevices(const PlanRequest &request) {
  int64_t product = 1;
  for (std::optional<int64_t> axis :
       {request.dp, request.tp, request.pp, request.cp, request.ep})
    if (llvm::MulOverflow(product, axis.value_or(1), product))
      return llvm::make_error<UsageError>("the mesh axes are too large");
  std::string asked = product > 1
                          ? "a mesh of " + std::to_string(product) + " devices"
                          : "--devices=" + std::to_string(request.devices);
  if (product > 1 || request.devices > 1)
    return makeError(asked + ": more than one device is not supported yet");
  return Error::success();
}

static Error checkBatch(StepOp step, const PlanRequest &request) {
  int64_t batch = step.getModel()->getGlobalBatch();
  if (request.microBatch && batch % *request.microBatch != 0)
    return llvm::make_error<UsageError>(
        "--micro-batch: expected a divisor of the global batch of " +
        Twine(batch) + " sequences, but got " + Twine(*request.microBatch));
  return Error::success();
}

Error nlp::checkRequest(StepOp step, const PlanRequest &request) {
  if (request.numerics && *request.numerics != "exact")
    return makeError("--numerics=" + *request.numerics +
                     " is not supported yet: expected exact");
  if (Error error = checkDevices(request))
    return error;
  if (Error error = checkBatch(step, request))
    return error;
  if (request.recompute != "auto" && request.recompute != "none")
    if (llvm::Expected<RecomputePolicy> policy =
            RecomputePolicy::parse(request.recompute);
        !policy)
      return llvm::make_error<UsageError>("--recompute: " +
                                          llvm::toString(policy.takeError()));
  if (Error error = checkUpdate(step, request))
    return error;
  if (step.getPlan())
    return checkPlan(step, request);
  return Error::success();
}

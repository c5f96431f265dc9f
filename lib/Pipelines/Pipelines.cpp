//===- Pipelines.cpp - The order of passes ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"
#include "nlp/Dialect/NLPRT/Transforms/Passes.h"

using namespace mlir;
using namespace nlp;

static void verifyPhase(OpPassManager &pm, Phase phase) {
  VerifyPhaseOptions options;
  options.phase = phase;
  pm.addPass(createVerifyPhase(options));
}

void nlp::buildJointPipeline(OpPassManager &pm, const JointOptions &options) {
  verifyPhase(pm, Phase::Graph);
  pm.addPass(createAutodiff());
  AddOptimizerOptions optimizer;
  optimizer.optimizer = options.optimizer;
  optimizer.clip = options.clip;
  pm.addPass(createAddOptimizer(optimizer));
  verifyPhase(pm, Phase::Joint);
}

void nlp::buildShapePipeline(OpPassManager &pm) {
  verifyPhase(pm, Phase::Planned);
  pm.addPass(createApplyMicroBatch());
  pm.addPass(createApplyLossChunks());
  pm.addPass(createApplyPartition());
  pm.addPass(createApplyPrecision());
}

void nlp::buildOrderPipeline(OpPassManager &pm) {
  buildShapePipeline(pm);
  pm.addPass(createApplyRecompute());
  pm.addPass(createSchedule());
  pm.addPass(createApplySchedule());
}

void nlp::buildUpdatePipeline(OpPassManager &pm) {
  pm.addPass(createApplyUpdateInBackward());
  verifyPhase(pm, Phase::Applied);
}

void nlp::buildApplyPipeline(OpPassManager &pm) {
  buildOrderPipeline(pm);
  buildUpdatePipeline(pm);
}

void nlp::buildBufferPipeline(OpPassManager &pm,
                              const RuntimeOptions &options) {
  ConvertNLPToNLPRTOptions convert;
  convert.threads = options.threads;
  pm.addPass(createConvertNLPToNLPRT(convert));
  pm.addPass(createAddWorkspaces());
  pm.addPass(rt::createShareBuffers());
}

void nlp::buildRuntimePipeline(OpPassManager &pm,
                               const RuntimeOptions &options) {
  buildBufferPipeline(pm, options);
  pm.addPass(rt::createPlanMemory());
  pm.addPass(rt::createVerifyMemory());
}

void nlp::buildLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createConvertNLPRTToLLVM());
}

void nlp::registerPipelines() {
  PassPipelineRegistration<JointOptions>(
      "nlp-to-joint", "graph -> joint: differentiate, add the optimizer",
      buildJointPipeline);
  PassPipelineRegistration<>("nlp-apply",
                             "planned -> applied: carry out the plan",
                             buildApplyPipeline);
  PassPipelineRegistration<RuntimeOptions>(
      "nlp-to-runtime", "applied -> runtime: buffers in one arena",
      buildRuntimePipeline);
  PassPipelineRegistration<>("nlp-to-llvm", "runtime -> llvm",
                             buildLLVMPipeline);
}

//===- Pipelines.h - Registration and the order of passes -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PIPELINES_H
#define NLP_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {

/// The project's dialects and those that its passes produce, with their
/// translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// All passes and pipelines of the project, and MLIR's general ones.
void registerAllPasses();

/// Options of `nlp-to-joint`.
struct JointOptions : mlir::PassPipelineOptions<JointOptions> {
  Option<OptimizerKind> optimizer{
      *this, "optimizer", llvm::cl::desc("The update rule."),
      llvm::cl::init(OptimizerKind::AdamW),
      llvm::cl::values(clEnumValN(OptimizerKind::AdamW, "adamw", "AdamW."),
                       clEnumValN(OptimizerKind::SGD, "sgd",
                                  "Gradient descent with momentum."))};
  Option<bool> clip{*this, "clip",
                    llvm::cl::desc("Clip gradients by their global norm."),
                    llvm::cl::init(true)};
};

/// Options of `nlp-to-runtime`.
struct RuntimeOptions : mlir::PassPipelineOptions<RuntimeOptions> {
  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("Threads that workspaces are planned for; 0: all cores."),
      llvm::cl::init(0)};
};

/// graph -> joint: differentiate, add the optimizer.
void buildJointPipeline(mlir::OpPassManager &pm, const JointOptions &options);

/// The first part of the next: carry out what changes shapes.
void buildShapePipeline(mlir::OpPassManager &pm);

/// planned -> applied in two parts: all that adds or orders ops of the passes,
/// and where updates run, which takes the same time anywhere.
void buildOrderPipeline(mlir::OpPassManager &pm);
void buildUpdatePipeline(mlir::OpPassManager &pm);

/// Both: carry out each part of the plan.
void buildApplyPipeline(mlir::OpPassManager &pm);

/// The first part of the next: buffers and launches.
void buildBufferPipeline(mlir::OpPassManager &pm,
                         const RuntimeOptions &options);

/// applied -> runtime: buffers, launches, one arena, checked.
void buildRuntimePipeline(mlir::OpPassManager &pm,
                          const RuntimeOptions &options);

/// runtime -> llvm.
void buildLLVMPipeline(mlir::OpPassManager &pm);

/// Registers the above by name, for nlp-opt: `nlp-to-joint`, `nlp-apply`,
/// `nlp-to-runtime`, `nlp-to-llvm`.
void registerPipelines();

} // namespace nlp

#endif // NLP_PIPELINES_PIPELINES_H

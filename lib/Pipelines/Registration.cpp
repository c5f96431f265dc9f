//===- Registration.cpp - Dialects and passes of all tools ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Planner/Passes.h"

using namespace mlir;

void nlp::registerAllDialects(DialectRegistry &registry) {
  registry.insert<NLPDialect, rt::NLPRTDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  vector::VectorDialect>();
}

void nlp::registerAllPasses() {
  mlir::registerTransformsPasses();
  registerNLPTransformsPasses();
  registerNLPPlannerPasses();
  registerNLPConversionPasses();
  rt::registerNLPRTPasses();
  registerPipelines();
}

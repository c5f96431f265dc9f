//===- ParsedOps.h - Ops from text, for tests -------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_NLP_PARSEDOPS_H
#define NLP_TEST_UNIT_NLP_PARSEDOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// A module parsed from text; the last op is the one that is tested.
struct ParsedOps {
  explicit ParsedOps(const std::string &text) {
    context.loadDialect<NLPDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::Operation *last() { return &module->getBody()->back(); }
  template <typename Interface> Interface lastAs() {
    return llvm::cast<Interface>(last());
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace nlp

#endif // NLP_TEST_UNIT_NLP_PARSEDOPS_H

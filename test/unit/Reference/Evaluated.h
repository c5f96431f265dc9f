//===- Evaluated.h - Values of a few ops ------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Evaluated e({{"x", {1, 2}}}, R"(
//     %x = nlp.read @x : tensor<2xf32>
//     %y = nlp.neg %x : tensor<2xf32>)");
//   e.expect("nlp.neg", {-1, -2});
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_REFERENCE_EVALUATED_H
#define NLP_TEST_UNIT_REFERENCE_EVALUATED_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "nlp/Reference/Evaluate.h"
#include <map>

namespace nlp::ref {

/// The ops of `body` with their values. Reads give what `values` says of their
/// symbol, inputs `ids`, runtime scalars `scalar`.
class Evaluated {
public:
  Evaluated(const std::map<std::string, std::vector<double>> &values,
            llvm::StringRef body, const std::vector<int64_t> &ids = {},
            int64_t scalar = 0, Rounding rounding = Rounding::Narrow);

  /// Expects the elements of result `result` of the first op `name`, each
  /// within `tolerance`.
  void expect(llvm::StringRef name, const std::vector<double> &elements,
              unsigned result = 0, double tolerance = 1e-12) const;

  /// The value of a result of the first op `name`.
  const TensorValue &get(llvm::StringRef name, unsigned result = 0) const;

  /// Whether all ops could be evaluated.
  bool isGood() const { return good; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Environment env;
  bool good = true;
};

} // namespace nlp::ref

#endif // NLP_TEST_UNIT_REFERENCE_EVALUATED_H

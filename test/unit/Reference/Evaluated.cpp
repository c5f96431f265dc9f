//===- Evaluated.cpp - Values of a few ops ----------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include "mlir/Parser/Parser.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

/// A module with `body` in a segment, and a parameter for each of `values`.
static std::string
getModuleText(const std::map<std::string, std::vector<double>> &values,
              StringRef body) {
  std::string text;
  for (const auto &[name, elements] : values) {
    // Parameters take their types from the reads.
    size_t read = body.find("nlp.read @" + name + " ");
    StringRef type = body.substr(body.find("tensor", read));
    type = type.take_until([](char c) { return c == '\n'; });
    text += "nlp.parameter @" + name + " : " + type.str() + " init zeros\n";
  }
  return text + "nlp.step @step { nlp.segment @s kind forward {" + body.str() +
         "\n} }";
}

Evaluated::Evaluated(const std::map<std::string, std::vector<double>> &values,
                     StringRef body, const std::vector<int64_t> &ids,
                     int64_t scalar, Rounding rounding) {
  context.loadDialect<NLPDialect>();
  module = parseSourceString<ModuleOp>(getModuleText(values, body), &context);
  if (!module) {
    ADD_FAILURE() << "cannot parse " << body.str();
    good = false;
    return;
  }
  module->walk([&](SegmentOp segment) {
    for (Operation &op : segment.getBody().front()) {
      if (auto read = dyn_cast<ReadOp>(op)) {
        TensorValue &value = env.define(read.getResult());
        const auto &elements = values.at(read.getSymbol().str());
        EXPECT_EQ(value.floats.size(), elements.size());
        value.floats = elements;
      } else if (auto input = dyn_cast<InputOp>(op)) {
        env.define(input.getResult()).integers = ids;
      } else if (auto runtime = dyn_cast<RuntimeScalarOp>(op)) {
        env.define(runtime.getResult()).integers = {scalar};
      } else if (failed(evaluate(&op, env, rounding))) {
        good = false;
        return;
      }
    }
  });
}

const TensorValue &Evaluated::get(StringRef name, unsigned result) const {
  Operation *found = nullptr;
  ModuleOp(*module).walk([&](Operation *op) {
    if (!found && op->getName().getStringRef() == name)
      found = op;
  });
  return env[found->getResult(result)];
}

void Evaluated::expect(StringRef name, const std::vector<double> &elements,
                       unsigned result, double tolerance) const {
  const TensorValue &value = get(name, result);
  ASSERT_EQ(value.floats.size(), elements.size());
  for (size_t i = 0; i < elements.size(); ++i)
    EXPECT_NEAR(value.floats[i], elements[i], tolerance)
        << name.str() << " result " << result << " element " << i;
}

//===- Activation.cpp - Activations by their Hugging Face names -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gelu_new, gelu_pytorch_tanh, gelu_fast and gelu_accurate are one formula
// written four ways; their constants differ in the last digit at most.
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace nlp;

std::optional<Activation> nlp::parseActivation(StringRef name) {
  return llvm::StringSwitch<std::optional<Activation>>(name)
      .Cases({"gelu", "gelu_python"}, Activation::GeluErf)
      .Cases({"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_accurate",
              "gelu_python_tanh"},
             Activation::GeluTanh)
      .Case("relu", Activation::Relu)
      .Case("relu2", Activation::ReluSquared)
      .Cases({"silu", "swish"}, Activation::Silu)
      .Case("tanh", Activation::Tanh)
      .Case("sigmoid", Activation::Sigmoid)
      .Default(std::nullopt);
}

StringRef nlp::getActivationNames() {
  return "gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, relu2, silu, "
         "tanh or sigmoid";
}

Value nlp::buildActivation(OpBuilder &builder, Location loc,
                           Activation activation, Value input) {
  Type type = input.getType();
  switch (activation) {
  case Activation::GeluErf:
    return GeluOp::create(builder, loc, type, input, GeluKind::Erf, nullptr);
  case Activation::GeluTanh:
    return GeluOp::create(builder, loc, type, input, GeluKind::Tanh, nullptr);
  case Activation::Relu:
    return ReluOp::create(builder, loc, type, input, nullptr);
  case Activation::ReluSquared: {
    Value positive = ReluOp::create(builder, loc, type, input, nullptr);
    return MulOp::create(builder, loc, type, positive, positive, nullptr);
  }
  case Activation::Silu:
    return SiluOp::create(builder, loc, type, input, nullptr);
  case Activation::Tanh:
    return TanhOp::create(builder, loc, type, input, nullptr);
  case Activation::Sigmoid:
    return SigmoidOp::create(builder, loc, type, input, nullptr);
  }
  llvm_unreachable("unknown activation");
}

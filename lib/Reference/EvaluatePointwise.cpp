//===- EvaluatePointwise.cpp - Pointwise ops and dropout --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointwise op builds its scalar definition into a block of its own, whose
// arith and math ops are then computed in f64, each for all elements at once.
// Memory: one temporary tensor for each op of the definition.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "nlprt/counter_random.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

namespace {
/// Computes ops of arith and math on vectors of elements. Truth is 1 and 0.
class ScalarInterpreter {
public:
  using Elements = std::vector<double>;

  explicit ScalarInterpreter(int64_t count) : count(count) {}

  void define(Value value, Elements elements) {
    values[value] = std::move(elements);
  }
  const Elements &get(Value value) const { return values.find(value)->second; }

  LogicalResult run(Operation *op);

private:
  /// Sets the only result of `op` to f(operands), element by element.
  template <typename F> LogicalResult map(Operation *op, F f);

  int64_t count;
  DenseMap<Value, Elements> values;
};
} // namespace

template <typename F> LogicalResult ScalarInterpreter::map(Operation *op, F f) {
  SmallVector<const Elements *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&get(operand));
  Elements result(count);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<F, double>)
      result[i] = f((*operands[0])[i]);
    else if constexpr (std::is_invocable_v<F, double, double>)
      result[i] = f((*operands[0])[i], (*operands[1])[i]);
    else
      result[i] = f((*operands[0])[i], (*operands[1])[i], (*operands[2])[i]);
  }
  define(op->getResult(0), std::move(result));
  return success();
}

/// Whether x and y compare as `predicate` says. Ordered predicates are false,
/// unordered ones true, where either is no number.
static bool compare(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return x != y;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are above");
}

LogicalResult ScalarInterpreter::run(Operation *op) {
  using D = double;
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) -> LogicalResult {
        FloatAttr value = dyn_cast<FloatAttr>(constant.getValue());
        if (!value)
          return op->emitOpError("expected a float constant in a definition");
        define(constant, Elements(count, value.getValueAsDouble()));
        return success();
      })
      .Case([&](arith::AddFOp) {
        return map(op, [](D x, D y) { return x + y; });
      })
      .Case([&](arith::SubFOp) {
        return map(op, [](D x, D y) { return x - y; });
      })
      .Case([&](arith::MulFOp) {
        return map(op, [](D x, D y) { return x * y; });
      })
      .Case([&](arith::DivFOp) {
        return map(op, [](D x, D y) { return x / y; });
      })
      .Case([&](arith::NegFOp) { return map(op, [](D x) { return -x; }); })
      .Case([&](arith::MaximumFOp) {
        return map(op, [](D x, D y) {
          return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y);
        });
      })
      .Case([&](arith::MinimumFOp) {
        return map(op, [](D x, D y) {
          return std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y);
        });
      })
      .Case([&](arith::CmpFOp cmp) {
        return map(op, [&](D x, D y) -> D {
          return compare(cmp.getPredicate(), x, y);
        });
      })
      .Case([&](arith::SelectOp) {
        return map(op, [](D c, D x, D y) { return c != 0.0 ? x : y; });
      })
      .Case(
          [&](math::ExpOp) { return map(op, [](D x) { return std::exp(x); }); })
      .Case(
          [&](math::LogOp) { return map(op, [](D x) { return std::log(x); }); })
      .Case([&](math::SqrtOp) {
        return map(op, [](D x) { return std::sqrt(x); });
      })
      .Case([&](math::RsqrtOp) {
        return map(op, [](D x) { return 1.0 / std::sqrt(x); });
      })
      .Case([&](math::TanhOp) {
        return map(op, [](D x) { return std::tanh(x); });
      })
      .Case(
          [&](math::ErfOp) { return map(op, [](D x) { return std::erf(x); }); })
      .Case([&](math::AbsFOp) {
        return map(op, [](D x) { return std::abs(x); });
      })
      .Case([&](math::FmaOp) {
        return map(op, [](D x, D y, D z) { return std::fma(x, y, z); });
      })
      .Default([](Operation *op) {
        return op->emitOpError("expected a scalar op that the interpreter "
                               "knows");
      });
}

/// Evaluates `op` by its scalar definition, built for f64.
static LogicalResult evaluateByDefinition(ScalarDefinitionOpInterface op,
                                          Environment &env) {
  MLIRContext *context = op->getContext();
  context->loadDialect<arith::ArithDialect, math::MathDialect>();
  Block block;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    block.addArgument(Float64Type::get(context), op.getLoc());
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> values =
      op.buildScalar(builder, op.getLoc(), block.getArguments());

  ScalarInterpreter scalars(env.define(op->getResult(0)).size());
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), op->getOperands()))
    scalars.define(argument, env[operand].floats);
  for (Operation &scalarOp : block)
    if (failed(scalars.run(&scalarOp)))
      return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    env.define(result).floats = scalars.get(value);
  return success();
}

Dropper::Dropper(int64_t seed, StringRef site, double rate)
    : key(nlprt_mix(seed, nlprt_hash_name(site.str().c_str()))),
      threshold(nlprt_drop_threshold(rate)), keptFactor(1.0 / (1.0 - rate)) {}

double Dropper::factor(int64_t index) const {
  return nlprt_draw(key, index) < threshold ? 0.0 : keptFactor;
}

static void evaluateDropout(DropoutOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  Dropper dropper(env[op.getSeed()].integers[0], op.getSite(),
                  op.getRate().convertToDouble());
  int64_t sequenceSize = input.size() / input.shape[0];
  int64_t first = env[op.getFirstSequence()].integers[0] * sequenceSize;
  for (int64_t i = 0; i < input.size(); ++i)
    result[i] = input[i] * dropper.factor(first + i);
}

FamilyResult nlp::ref::evaluatePointwiseOp(Operation *op, Environment &env) {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    evaluateDropout(dropout, env);
    return success();
  }
  if (auto defined = dyn_cast<ScalarDefinitionOpInterface>(op))
    return evaluateByDefinition(defined, env);
  return std::nullopt;
}

//===- CheckGradients.cpp - Gradients against differences of the loss -----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/CheckGradients.h"
#include "nlprt/counter_random.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace nlp;
using namespace nlp::ref;

namespace {
/// A direction within one parameter: all elements, or one.
struct Direction {
  std::string parameter;
  int64_t element; // -1: all
  std::vector<double> entries;
};

/// What was promised and measured along a direction.
struct Slope {
  double promised = 0.0, measured = 0.0, scale = 0.0;

  double getError() const { return std::abs(promised - measured) / scale; }
};

class GradientChecker {
public:
  GradientChecker(StepInterpreter &interpreter, const StepInput &input,
                  const GradientCheckOptions &options)
      : interpreter(interpreter), input(input), options(options) {}

  FailureOr<bool> run(raw_ostream &os);

private:
  std::vector<Direction> getDirections(const std::string &name, int64_t size);
  FailureOr<double> getLoss(const Direction &direction, double distance);
  FailureOr<Slope> measure(const Direction &direction,
                           const TensorValue &gradient, double loss);

  StepInterpreter &interpreter;
  const StepInput &input;
  const GradientCheckOptions &options;
};
} // namespace

/// All elements by random amounts, and single elements: spread over the
/// parameter, each anywhere in its part.
std::vector<Direction> GradientChecker::getDirections(const std::string &name,
                                                      int64_t size) {
  uint64_t key = nlprt_mix(input.seed, nlprt_hash_name(name.c_str()));
  uint64_t draws = nlprt_mix(key, nlprt_hash_name("directions"));
  std::vector<Direction> directions;
  Direction all{name, -1, std::vector<double>(size)};
  for (int64_t i = 0; i < size; ++i)
    all.entries[i] = nlprt_normal(draws, i) / std::sqrt(size);
  directions.push_back(std::move(all));
  int64_t count = std::min(size, options.elements);
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = size * i / count, end = size * (i + 1) / count;
    int64_t element = begin + nlprt_draw(draws, i) % (end - begin);
    Direction one{name, element, std::vector<double>(size)};
    one.entries[element] = 1.0;
    directions.push_back(std::move(one));
  }
  return directions;
}

/// The loss at `distance` along `direction`.
FailureOr<double> GradientChecker::getLoss(const Direction &direction,
                                           double distance) {
  TensorValue &parameter = interpreter.getParameters()[direction.parameter];
  TensorValue saved = parameter;
  for (int64_t i = 0; i < parameter.size(); ++i)
    parameter[i] += distance * direction.entries[i];
  FailureOr<double> loss = interpreter.computeLoss(input);
  parameter = std::move(saved);
  return loss;
}

FailureOr<Slope> GradientChecker::measure(const Direction &direction,
                                          const TensorValue &gradient,
                                          double loss) {
  double h = options.stepSize;
  double losses[4], distances[4] = {-2 * h, -h, h, 2 * h};
  for (int i = 0; i < 4; ++i) {
    FailureOr<double> moved = getLoss(direction, distances[i]);
    if (failed(moved))
      return failure();
    losses[i] = *moved;
  }
  Slope slope;
  double squares = 0.0;
  for (int64_t i = 0; i < gradient.size(); ++i) {
    slope.promised += gradient[i] * direction.entries[i];
    squares += gradient[i] * gradient[i];
  }
  slope.measured =
      (8 * (losses[2] - losses[1]) - (losses[3] - losses[0])) / (12 * h);
  // A slope that happens to be small is compared with the gradient as a whole,
  // and no difference counts that rounding of the loss explains.
  double typical = std::sqrt(squares / gradient.size());
  double rounding =
      64 * std::numeric_limits<double>::epsilon() * (std::abs(loss) + 1.0) / h;
  slope.scale = std::max({std::abs(slope.promised), std::abs(slope.measured),
                          1e-2 * typical, rounding / options.tolerance});
  return slope;
}

FailureOr<bool> GradientChecker::run(raw_ostream &os) {
  NamedTensors start = interpreter.getParameters();
  FailureOr<Figures> figures = interpreter.run(input);
  if (failed(figures))
    return failure();
  interpreter.getParameters() = start;
  NamedTensors gradients = interpreter.getGradients();
  FailureOr<double> loss = interpreter.computeLoss(input);
  if (failed(loss))
    return failure();
  double worst = 0.0;
  std::string where = "none";
  int64_t directions = 0, bad = 0;
  for (const auto &[name, gradient] : gradients)
    for (const Direction &direction : getDirections(name, gradient.size())) {
      FailureOr<Slope> slope = measure(direction, gradient, *loss);
      if (failed(slope))
        return failure();
      std::string place =
          name + (direction.element < 0
                      ? ""
                      : "[" + std::to_string(direction.element) + "]");
      ++directions;
      bool good = slope->getError() <= options.tolerance; // a NaN is not
      if (!good && ++bad <= 20)
        os << "bad gradient: " << place << ": expected "
           << format("%.10g", slope->measured) << ", but got "
           << format("%.10g", slope->promised) << "\n";
      if (!(slope->getError() <= worst)) {
        worst = slope->getError();
        where = place;
      }
    }
  os << "gradients of " << gradients.size() << " parameters, " << directions
     << " directions, loss " << format("%.6g", *loss) << ": "
     << (bad ? std::to_string(bad) + " bad" : "all good")
     << ", largest difference " << format("%.1e", worst) << " (" << where
     << ")\n";
  return bad == 0;
}

FailureOr<bool> nlp::ref::checkGradients(StepInterpreter &interpreter,
                                         const StepInput &input,
                                         const GradientCheckOptions &options,
                                         raw_ostream &os) {
  return GradientChecker(interpreter, input, options).run(os);
}

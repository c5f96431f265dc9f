//===- CompareRuns.cpp - Differences between two runs -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/CompareRuns.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace nlp::ref;

namespace {
/// Collects differences and remembers the largest.
class Comparison {
public:
  Comparison(double tolerance, raw_ostream &os)
      : tolerance(tolerance), os(os) {}

  /// Notes a difference of size `difference` between things of size `scale`.
  void note(const Twine &what, double difference, double scale);
  void compare(const Twine &what, std::optional<double> got,
               std::optional<double> wanted);
  void compare(StringRef what, const NamedTensors &got,
               const NamedTensors &wanted, double floor);
  void fail(const Twine &message) {
    os << "difference: " << message << "\n";
    good = false;
  }

  bool isGood() const { return good; }
  void printLargest() const {
    os << "largest relative difference " << format("%.1e", largest) << " ("
       << where << ")\n";
  }

private:
  double tolerance;
  raw_ostream &os;
  bool good = true;
  double largest = 0.0;
  std::string where = "none";
};
} // namespace

/// Three digits of `value`.
static std::string printed(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.3g", value);
  return text;
}

void Comparison::note(const Twine &what, double difference, double scale) {
  double relative = difference == 0.0 ? 0.0 : difference / scale;
  if (!(relative <= largest)) { // a NaN is a difference
    largest = relative;
    where = what.str();
  }
  if (!(relative <= tolerance))
    fail(what + ": off by " + printed(difference) + ", relative to " +
         printed(scale));
}

void Comparison::compare(const Twine &what, std::optional<double> got,
                         std::optional<double> wanted) {
  if (got.has_value() != wanted.has_value())
    return fail(what + ": reported by one run only");
  if (wanted)
    note(what, std::abs(*got - *wanted), std::abs(*wanted));
}

/// The norm of `a - b`, or of `a` where `b` is null.
static double getNorm(const TensorValue &a, const TensorValue *b = nullptr) {
  double squares = 0.0;
  for (int64_t i = 0; i < a.size(); ++i)
    squares += std::pow(b ? a[i] - (*b)[i] : a[i], 2);
  return std::sqrt(squares);
}

/// `floor` is the share of the norm of all tensors below which a tensor counts
/// as nothing.
void Comparison::compare(StringRef what, const NamedTensors &got,
                         const NamedTensors &wanted, double floor) {
  double squares = 0.0;
  for (const auto &[name, tensor] : wanted)
    squares += std::pow(getNorm(tensor), 2);
  for (const auto &[name, tensor] : wanted) {
    std::string place = (what + " " + name).str();
    auto other = got.find(name);
    if (other == got.end() || other->second.shape != tensor.shape) {
      fail(place + ": expected a tensor of the same shape in both runs");
      continue;
    }
    note(place, getNorm(other->second, &tensor),
         std::max(getNorm(tensor), floor * std::sqrt(squares)));
  }
  if (got.size() != wanted.size())
    fail(what + ": expected " + Twine(wanted.size()) + " tensors, but got " +
         Twine(got.size()));
}

bool nlp::ref::compareRuns(const RunResult &got, const RunResult &wanted,
                           double tolerance, raw_ostream &os) {
  Comparison comparison(tolerance, os);
  for (auto [mine, other] : zip_equal(got.steps, wanted.steps)) {
    std::string step = " of step " + std::to_string(mine.step);
    comparison.compare("loss" + step, mine.figures.loss, other.figures.loss);
    comparison.compare("gradient norm" + step, mine.figures.gradNorm,
                       other.figures.gradNorm);
  }
  comparison.compare("gradient", got.firstGradients, wanted.firstGradients,
                     1e-3);
  comparison.compare("parameter", got.parameters, wanted.parameters, 0.0);
  comparison.printLargest();
  return comparison.isGood();
}

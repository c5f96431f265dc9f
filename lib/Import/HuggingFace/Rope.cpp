//===- Rope.cpp - Frequencies of rotary positions -------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Feature pair i of d/2 turns by theta^(-2i/d) a position. Two kinds of scaling
// are functions of these frequencies alone and are computed here:
// - linear: all are divided by `factor`;
// - llama3: those whose wavelength is beyond original / low_freq_factor are
//   divided by `factor`, those below original / high_freq_factor stay, between
//   them the quotient moves linearly in original / wavelength.
// Scaling that depends on the sequence (dynamic, longrope) or that also scales
// the scores (yarn) is an error.
//
// Computed in f64, once; Python's f32 powers agree to 1e-7.
//
//===----------------------------------------------------------------------===//

#include "Rope.h"
#include "../FormatNumber.h"
#include <cmath>
#include <numbers>

using namespace llvm;
using namespace nlp;

/// Applies llama3 scaling to `frequencies`.
static void scaleLikeLlama3(ConfigReader &scaling, int64_t maxPositions,
                            MutableArrayRef<double> frequencies) {
  double factor = scaling.getPositive("factor");
  double low = scaling.getPositive("low_freq_factor");
  double high = scaling.getPositive("high_freq_factor");
  auto original = static_cast<double>(
      scaling.getSizeOr("original_max_position_embeddings", maxPositions));
  if (!scaling.hasFailed() && low >= high) {
    scaling.failAt("high_freq_factor", "a number above low_freq_factor");
    return;
  }
  for (double &frequency : frequencies) {
    double turns = original * frequency / (2 * std::numbers::pi);
    if (turns < low)
      frequency /= factor;
    else if (turns <= high) {
      double smooth = (turns - low) / (high - low);
      frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

SmallVector<double> nlp::readRopeFrequencies(ConfigReader &config,
                                             int64_t headDim,
                                             int64_t maxPositions) {
  // transformers 5 has one object where 4 had a field and an object.
  bool isNew = config.has("rope_parameters");
  if (isNew && config.has("rope_scaling"))
    config.failAt("rope_scaling", "no such field beside rope_parameters");
  double theta = config.getPositiveOr("rope_theta", 10000.0);
  std::optional<ConfigReader> scaling =
      config.getObject(isNew ? "rope_parameters" : "rope_scaling");
  if (scaling)
    theta = scaling->getPositiveOr("rope_theta", theta);

  SmallVector<double> frequencies;
  for (int64_t i = 0; i < headDim / 2; ++i)
    frequencies.push_back(std::pow(theta, -2.0 * static_cast<double>(i) /
                                              static_cast<double>(headDim)));
  if (scaling) {
    StringRef key = scaling->has("rope_type") ? "rope_type" : "type";
    scaling->ignore({"type"});
    std::string type = scaling->getStringOr(key, "default");
    if (type == "linear") {
      double factor = scaling->getPositive("factor");
      for (double &frequency : frequencies)
        frequency /= factor;
    } else if (type == "llama3") {
      scaleLikeLlama3(*scaling, maxPositions, frequencies);
    } else if (type != "default" && !scaling->hasFailed()) {
      scaling->failAt(key, "default, linear or llama3");
    }
    config.merge(std::move(*scaling));
  }
  if (!config.hasFailed())
    for (double frequency : frequencies)
      if (!std::isfinite(frequency)) {
        config.fail("expected rotary frequencies that are finite, but got " +
                    formatNumber(frequency) +
                    " from rope_theta and rope scaling");
        break;
      }
  return frequencies;
}

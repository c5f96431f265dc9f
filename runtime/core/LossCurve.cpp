//===- LossCurve.cpp - Losses of a run, drawn in the terminal -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of dots in Braille cells, two by four dots each: U+2800 plus a bit per
// dot. Neighbouring means are joined by a vertical stroke.
//
//===----------------------------------------------------------------------===//

#include "core/LossCurve.h"
#include "core/Support.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace nlprt {

void LossCurve::add(int64_t step, double loss) {
  if (step < first || step > last)
    return;
  int64_t total = last - first + 1;
  int64_t part = static_cast<int64_t>(static_cast<double>(step - first) /
                                      static_cast<double>(total) * parts);
  sums[part] += loss;
  counts[part] += 1;
}

/// The bit of dot (x, y) within its cell.
static uint8_t dotBit(int x, int y) {
  static constexpr uint8_t bits[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return bits[y % 4][x % 2];
}

static std::string brailleCell(uint8_t bits) {
  return {'\xe2', static_cast<char>(0xa0 | bits >> 6),
          static_cast<char>(0x80 | (bits & 0x3f))};
}

std::string LossCurve::draw() const {
  // Few steps leave parts empty: a mean holds until the next one.
  std::vector<double> means;
  int64_t added = 0;
  int lastFilled = 0;
  for (int part = 0; part < parts; ++part)
    if (counts[part] > 0) {
      added += counts[part];
      lastFilled = part;
    }
  if (added < fewestSteps)
    return "";
  for (int part = 0; part <= lastFilled; ++part)
    means.push_back(counts[part] ? sums[part] / counts[part] : means.back());
  auto [low, high] = std::minmax_element(means.begin(), means.end());
  double bottom = *low, range = std::max(*high - *low, 1e-12);

  uint8_t cells[height / 4][parts / 2] = {};
  int previous = -1;
  for (size_t x = 0; x < means.size(); ++x) {
    int y = static_cast<int>(
        std::lround((1 - (means[x] - bottom) / range) * (height - 1)));
    int from = previous < 0 ? y : previous;
    for (int dot = std::min(from, y); dot <= std::max(from, y); ++dot)
      cells[dot / 4][x / 2] |= dotBit(static_cast<int>(x), dot);
    previous = y;
  }
  std::string text;
  for (int row = 0; row < height / 4; ++row) {
    double value = bottom + range * (1 - (row + 0.5) * 4 / height);
    text += format("%9.4g │", value);
    for (uint8_t bits : cells[row])
      text += brailleCell(bits);
    text += "\n";
  }
  text += format("     loss └");
  for (int i = 0; i < parts / 2; ++i)
    text += "─";
  text += format("\n%11s%-*lld%*lld step\n", "", parts / 4,
                 static_cast<long long>(first), parts / 4,
                 static_cast<long long>(last));
  return text;
}

} // namespace nlprt

//===- MovementKernelsTest.cpp - Copies, sums, rope, dropout ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "nlprt/counter_random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::test;

static std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "array<i64: " + text + ">";
}

static void checkCopy(int64_t inCount, int64_t outCount,
                      std::vector<int64_t> shape, std::vector<int64_t> in,
                      int64_t inOffset, std::vector<int64_t> out,
                      int64_t outOffset) {
  std::vector<int32_t> source(inCount);
  for (int64_t i = 0; i < inCount; ++i)
    source[i] = static_cast<int32_t>(i * 7 + 1);
  Launch launch;
  launch.kernel = "copy";
  launch.ins = {Tensor(std::to_string(inCount) + "xi32", source)};
  launch.outTypes = {std::to_string(outCount) + "xi32"};
  launch.params = "shape = " + list(shape) + ", in_strides = " + list(in) +
                  ", out_strides = " + list(out) +
                  ", in_offset = " + std::to_string(inOffset) +
                  ", out_offset = " + std::to_string(outOffset);
  std::vector<int32_t> result = run(launch)[0].get<int32_t>();
  std::vector<int32_t> expected(outCount, 0x5a5a5a5a);
  std::vector<int64_t> place(shape.size(), 0);
  for (bool more = true; more;) {
    int64_t from = inOffset, to = outOffset;
    for (size_t d = 0; d < shape.size(); ++d) {
      from += place[d] * in[d];
      to += place[d] * out[d];
    }
    expected[to] = source[from];
    more = false;
    for (size_t d = shape.size(); d-- > 0 && !more;) {
      more = ++place[d] < shape[d];
      if (!more)
        place[d] = 0;
    }
  }
  EXPECT_EQ(result, expected);
}

TEST(MovementKernels, Copy) {
  checkCopy(40000, 40000, {200, 200}, {200, 1}, 0, {200, 1}, 0);
  // Columns 5 to 24 of 30, then back.
  checkCopy(900, 600, {30, 20}, {30, 1}, 5, {20, 1}, 0);
  checkCopy(600, 900, {30, 20}, {20, 1}, 0, {30, 1}, 5);
  // Transposes, of the inner and of the outer dimensions.
  checkCopy(600, 600, {20, 30}, {1, 20}, 0, {30, 1}, 0);
  checkCopy(600, 600, {30, 20}, {20, 1}, 0, {1, 30}, 0);
  checkCopy(24 * 50, 24 * 50, {2, 3, 4, 50}, {600, 50, 150, 1}, 0,
            {600, 200, 50, 1}, 0);
  // No side is contiguous.
  checkCopy(64, 64, {4, 8}, {16, 2}, 0, {16, 2}, 1);
  checkCopy(3, 3, {1, 1}, {1, 1}, 2, {1, 1}, 1);
}

TEST(MovementKernels, Fill) {
  Launch launch;
  launch.kernel = "fill";
  launch.outTypes = {"16401xf32"};
  launch.params = "value = 1.5";
  EXPECT_EQ(run(launch)[0].get<float>(), std::vector<float>(16401, 1.5f));
}

TEST(MovementKernels, ColumnSum) {
  for (auto [rows, width] :
       {std::pair<int64_t, int64_t>{1, 1}, {7, 3}, {1000, 70}, {129, 513}}) {
    std::vector<float> in = randomFloats(rows * width);
    std::vector<double> sums(width);
    for (int64_t i = 0; i < rows * width; ++i)
      sums[i % width] += in[i];
    Launch launch;
    launch.kernel = "column_sum";
    launch.ins = {Tensor(
        std::to_string(rows) + "x" + std::to_string(width) + "xf32", in)};
    launch.outTypes = {std::to_string(width) + "xf32"};
    EXPECT_LT(relativeError(run(launch)[0].get<float>(), sums), 1e-6);
  }
}

TEST(MovementKernels, Rope) {
  for (int64_t features : {4, 32, 80}) {
    int64_t batch = 2, positions = 50, heads = 3, half = features / 2;
    std::vector<float> in = randomFloats(batch * positions * heads * features);
    std::string frequencies;
    std::vector<double> values, out(in.size());
    for (int64_t i = 0; i < half; ++i) {
      values.push_back(std::pow(10000.0, -double(i) / half));
      char text[64];
      std::snprintf(text, sizeof(text), "%s%.17e", i ? ", " : "", values[i]);
      frequencies += text;
    }
    for (int64_t row = 0; row < batch * positions * heads; ++row)
      for (int64_t i = 0; i < half; ++i) {
        double angle = double(row / heads % positions) * values[i];
        double a = in[row * features + i], b = in[row * features + half + i];
        out[row * features + i] = a * std::cos(angle) - b * std::sin(angle);
        out[row * features + half + i] =
            b * std::cos(angle) + a * std::sin(angle);
      }
    std::string type = "2x50x3x" + std::to_string(features) + "xf32";
    Launch launch;
    launch.kernel = "rope";
    launch.ins = {Tensor(type, in)};
    launch.outTypes = {type};
    launch.params = "frequencies = array<f64: " + frequencies + ">";
    launch.shared = {{0, 0}};
    auto turned = run(launch);
    EXPECT_LT(relativeError(turned[0].get<float>(), out), 1e-6);
    launch.ins = turned;
    launch.params += ", inverse = true";
    EXPECT_LT(relativeError(run(launch)[0].get<float>(),
                            std::vector<double>(in.begin(), in.end())),
              1e-6);
  }
}

TEST(MovementKernels, Dropout) {
  for (auto [sequences, elements] :
       {std::pair<int64_t, int64_t>{3, 20000}, {2, 37}, {5, 102}, {1, 64}}) {
    const double rate = 0.3;
    const int64_t seed = -12345, first = 6;
    std::vector<float> in = randomFloats(sequences * elements);
    Launch launch;
    launch.kernel = "dropout";
    std::string type =
        std::to_string(sequences) + "x" + std::to_string(elements) + "xf32";
    launch.ins = {Tensor(type, in), Tensor("i64", std::vector<int64_t>{seed}),
                  Tensor("i64", std::vector<int64_t>{first})};
    launch.outTypes = {type};
    launch.params = "rate = 0.3, site = \"h.0.drop\"";
    std::vector<float> out = run(launch)[0].get<float>();
    uint64_t key = nlprt_mix(seed, nlprt_hash_name("h.0.drop"));
    for (int64_t i = 0; i < sequences * elements; ++i) {
      bool dropped =
          nlprt_draw(key, first * elements + i) < nlprt_drop_threshold(rate);
      float kept = in[i] * float(1.0 / (1.0 - rate));
      ASSERT_EQ(out[i], dropped ? 0.0f : kept) << i;
    }
  }
}

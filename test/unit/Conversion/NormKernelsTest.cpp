//===- NormKernelsTest.cpp - Norms against plain loops ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::test;

namespace {
/// A norm of `rows` rows, in double.
struct NormReference {
  int64_t rows, width;
  bool hasMean;
  std::vector<double> out, mean, rstd, inGrad, weightGrad, biasGrad;

  NormReference(int64_t rows, int64_t width, bool hasMean,
                const std::vector<float> &in, const std::vector<float> &weight,
                const std::vector<float> &bias,
                const std::vector<float> &outGrad, double epsilon)
      : rows(rows), width(width), hasMean(hasMean), out(rows * width),
        mean(rows), rstd(rows), inGrad(rows * width), weightGrad(width),
        biasGrad(width) {
    for (int64_t r = 0; r < rows; ++r) {
      const float *x = &in[r * width], *dy = &outGrad[r * width];
      double sum = 0.0, square = 0.0;
      for (int64_t j = 0; j < width && hasMean; ++j)
        sum += x[j];
      mean[r] = sum / width;
      for (int64_t j = 0; j < width; ++j)
        square += (x[j] - mean[r]) * (x[j] - mean[r]);
      rstd[r] = 1.0 / std::sqrt(square / width + epsilon);
      double averageG = 0.0, averageGN = 0.0;
      for (int64_t j = 0; j < width; ++j) {
        double n = (x[j] - mean[r]) * rstd[r], g = dy[j] * weight[j];
        out[r * width + j] = n * weight[j] + (hasMean ? bias[j] : 0.0);
        weightGrad[j] += dy[j] * n;
        biasGrad[j] += dy[j];
        averageG += hasMean ? g / width : 0.0;
        averageGN += g * n / width;
      }
      for (int64_t j = 0; j < width; ++j) {
        double n = (x[j] - mean[r]) * rstd[r], g = dy[j] * weight[j];
        inGrad[r * width + j] = rstd[r] * (g - averageG - n * averageGN);
      }
    }
  }
};

class NormKernels : public testing::TestWithParam<std::pair<int64_t, int64_t>> {
};
} // namespace

static std::vector<float> toFloats(const std::vector<double> &values) {
  return std::vector<float>(values.begin(), values.end());
}

TEST_P(NormKernels, ForwardAndBackward) {
  auto [rows, width] = GetParam();
  std::string row = std::to_string(width) + "xf32";
  std::string column = std::to_string(rows) + "xf32";
  std::string all = std::to_string(rows) + "x" + row;
  std::vector<float> in = randomFloats(rows * width, 2.0f, 5.0f, 1);
  std::vector<float> weight = randomFloats(width, 0.5f, 1.5f, 2);
  std::vector<float> bias = randomFloats(width, -1.0f, 1.0f, 3);
  std::vector<float> outGrad = randomFloats(rows * width, -1.0f, 1.0f, 4);
  for (bool hasMean : {true, false}) {
    NormReference reference(rows, width, hasMean, in, weight, bias, outGrad,
                            1e-5);
    Launch forward;
    forward.kernel = hasMean ? "layer_norm" : "rms_norm";
    forward.ins = {Tensor(all, in), Tensor(row, weight)};
    forward.outTypes = {all};
    if (hasMean) {
      forward.ins.push_back(Tensor(row, bias));
      forward.outTypes.push_back(column);
    }
    forward.outTypes.push_back(column);
    forward.params = "epsilon = 1.0e-5";
    auto outs = run(forward);
    EXPECT_LT(relativeError(outs[0].get<float>(), reference.out), 2e-6);
    if (hasMean) {
      EXPECT_LT(relativeError(outs[1].get<float>(), reference.mean), 1e-6);
    }
    EXPECT_LT(relativeError(outs.back().get<float>(), reference.rstd), 2e-6);
    forward.shared = {{0, 0}};
    EXPECT_TRUE(run(forward)[0].bytes == outs[0].bytes) << "in place";

    Launch backward;
    backward.kernel = forward.kernel + "_grad";
    backward.ins = {Tensor(all, outGrad), Tensor(all, in), Tensor(row, weight)};
    backward.outTypes = {all, row};
    if (hasMean) {
      backward.ins.push_back(Tensor(column, toFloats(reference.mean)));
      backward.outTypes.push_back(row);
    }
    backward.ins.push_back(Tensor(column, toFloats(reference.rstd)));
    auto grads = run(backward);
    EXPECT_LT(relativeError(grads[0].get<float>(), reference.inGrad), 5e-6);
    EXPECT_LT(relativeError(grads[1].get<float>(), reference.weightGrad), 5e-6);
    if (hasMean) {
      EXPECT_LT(relativeError(grads[2].get<float>(), reference.biasGrad), 5e-6);
    }
    for (unsigned shared : {0, 1}) {
      backward.shared = {{0, shared}};
      EXPECT_TRUE(run(backward)[0].bytes == grads[0].bytes) << "in place";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NormKernels,
                         testing::Values(std::pair(1, 5), std::pair(3, 7),
                                         std::pair(5, 16), std::pair(130, 64),
                                         std::pair(70, 100), std::pair(40, 768),
                                         std::pair(3, 20000)));

/// Storage in bf16, statistics and arithmetic in f32.
TEST(NormKernels16, LayerNorm) {
  const int64_t rows = 9, width = 50;
  std::vector<uint16_t> in, weight, bias;
  std::vector<float> wideIn, wideWeight, wideBias;
  auto narrow = [](const std::vector<float> &values,
                   std::vector<uint16_t> &half, std::vector<float> &wide) {
    for (float value : values) {
      half.push_back(toBF16(value));
      wide.push_back(fromBF16(half.back()));
    }
  };
  narrow(randomFloats(rows * width, 2.0f, 5.0f, 1), in, wideIn);
  narrow(randomFloats(width, 0.5f, 1.5f, 2), weight, wideWeight);
  narrow(randomFloats(width, -1.0f, 1.0f, 3), bias, wideBias);
  NormReference reference(rows, width, true, wideIn, wideWeight, wideBias,
                          wideIn, 1e-5);
  Launch launch;
  launch.kernel = "layer_norm";
  launch.ins = {Tensor("9x50xbf16", in), Tensor("50xbf16", weight),
                Tensor("50xbf16", bias)};
  launch.outTypes = {"9x50xbf16", "9xf32", "9xf32"};
  launch.params = "epsilon = 1.0e-5";
  auto outs = run(launch);
  EXPECT_LT(relativeError(outs[1].get<float>(), reference.mean), 1e-6);
  std::vector<uint16_t> out = outs[0].get<uint16_t>();
  for (int64_t i = 0; i < rows * width; ++i)
    EXPECT_NEAR(fromBF16(out[i]), reference.out[i],
                std::abs(reference.out[i]) / 256 + 1e-6);
}

/// Vectors have 16 lanes on every machine: the same sums in the same order.
TEST(NormKernelsMachines, SameBits) {
  Launch launch;
  launch.kernel = "layer_norm_grad";
  std::vector<float> x = randomFloats(40 * 100);
  launch.ins = {Tensor("40x100xf32", x), Tensor("40x100xf32", x),
                Tensor("100xf32", randomFloats(100)),
                Tensor("40xf32", randomFloats(40)),
                Tensor("40xf32", randomFloats(40, 0.5f, 2.0f))};
  launch.outTypes = {"40x100xf32", "100xf32", "100xf32"};
  auto outs = run(launch, "x86-64-v3"), plain = run(launch, "x86-64"),
       host = run(launch);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(outs[i].bytes == plain[i].bytes) << i;
    EXPECT_TRUE(outs[i].bytes == host[i].bytes) << i;
  }
}

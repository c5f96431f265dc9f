//===- KernelBench.cpp - Speed of generated kernels -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each kernel at the sizes of GPT-2 (1024 tokens), with one thread and
// two, and prints its rate and its share of the rate at which this machine
// copies as many bytes. Kernel and copy take turns; lower quartiles are
// compared. Both walk through several sets of buffers, so that each run finds
// its data in memory rather than in a cache.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <omp.h>

using namespace nlp::test;

static int threads = 1;

static nlprt_status parallel(nlprt_context *, const nlprt_site *,
                             nlprt_body body, int64_t items,
                             void *const *buffers) {
#pragma omp parallel num_threads(threads)
  {
    int64_t count = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t begin = items * thread / count, end = items * (thread + 1) / count;
    if (begin < end)
      body(begin, end, buffers);
  }
  return NLPRT_OK;
}

static double measure(const std::function<void()> &body) {
  auto start = std::chrono::steady_clock::now();
  body();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return seconds.count();
}

/// The lower quartile: on a busy machine more than half of all runs may lose
/// their core for a while.
static double typical(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 4,
                   values.end());
  return values[values.size() / 4];
}

/// Bytes that the launch moves; `shared` outputs count as well.
static int64_t getTraffic(const Launch &launch) {
  int64_t bytes = 0;
  for (const Tensor &in : launch.ins)
    bytes += in.bytes.size();
  for (const std::string &type : launch.outTypes)
    bytes += Tensor(type).bytes.size();
  return bytes;
}

static void fill(const Launch &launch, const CompiledLaunch &compiled,
                 char *arena) {
  for (size_t i = 0; i < launch.ins.size(); ++i)
    std::memcpy(arena + compiled.getInOffset(i), launch.ins[i].bytes.data(),
                launch.ins[i].bytes.size());
}

static void bench(const char *name, const Launch &launch) {
  auto start = std::chrono::steady_clock::now();
  CompiledLaunch compiled(launch);
  double compileMillis = std::chrono::duration<double, std::milli>(
                             std::chrono::steady_clock::now() - start)
                             .count();
  int64_t traffic = getTraffic(launch), half = traffic / 2;
  int64_t stride = (compiled.getArenaBytes() + 4095) / 4096 * 4096;
  int64_t sets = std::max<int64_t>(1, (256 << 20) / stride);
  auto *arenas = static_cast<char *>(std::aligned_alloc(4096, stride * sets));
  auto *copies = static_cast<char *>(
      std::aligned_alloc(4096, (2 * half + 4096) / 4096 * 4096 * sets));
  std::memset(copies, 1, (2 * half + 4096) / 4096 * 4096 * sets);
  for (int64_t set = 0; set < sets; ++set)
    fill(launch, compiled, arenas + set * stride);
  std::printf("%-28s %7.1f MB", name, traffic / 1e6);
  for (threads = 1; threads <= 2; ++threads) {
    std::vector<double> kernelSeconds, copySeconds;
    int64_t rounds = std::clamp<int64_t>(2000000000 / traffic, 9, 150);
    for (int64_t round = 0; round < rounds; ++round) {
      char *arena = arenas + round % sets * stride;
      char *copy = copies + round % sets * (2 * half);
      copySeconds.push_back(measure([&] {
#pragma omp parallel num_threads(threads)
        {
          int64_t count = omp_get_num_threads(), thread = omp_get_thread_num();
          int64_t begin = half * thread / count,
                  end = half * (thread + 1) / count;
          std::memcpy(copy + half + begin, copy + begin, end - begin);
        }
      }));
      kernelSeconds.push_back(measure(
          [&] { compiled.run(arena, reinterpret_cast<void *>(&parallel)); }));
    }
    double kernel = typical(kernelSeconds), copy = typical(copySeconds);
    std::printf(" | %d thread%s %6.2f ms %5.1f GB/s, copy %5.1f: %3.0f %%",
                threads, threads > 1 ? "s" : " ", kernel * 1e3,
                traffic / kernel / 1e9, 2.0 * half / copy / 1e9,
                100.0 * copy / kernel);
  }
  std::printf(" | compiled in %.0f ms\n", compileMillis);
  std::free(arenas);
  std::free(copies);
}

static Tensor random(const std::string &type, float low = -1, float high = 1) {
  Tensor tensor(type);
  static std::vector<float> values = randomFloats(1 << 20, 0, 1);
  auto *floats = reinterpret_cast<float *>(tensor.bytes.data());
  for (size_t i = 0; i < tensor.bytes.size() / 4; ++i)
    floats[i] = low + (high - low) * values[i & ((1 << 20) - 1)];
  return tensor;
}

static Tensor scalar(double value) {
  return Tensor("f64", std::vector<double>{value});
}

static Launch make(std::string kernel, std::vector<Tensor> ins,
                   std::vector<std::string> outTypes, std::string params = "",
                   std::vector<std::pair<unsigned, unsigned>> shared = {}) {
  Launch launch;
  launch.kernel = kernel;
  launch.ins = ins;
  launch.outTypes = outTypes;
  launch.params = params;
  launch.shared = shared;
  return launch;
}

/// GELU (tanh) of %x: f32 into %y.
static const char *geluTanh = R"(
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0.7978845608 : f32
  %c1 = arith.constant 0.044715 : f32
  %x2 = arith.mulf %x, %x : f32
  %x3 = arith.mulf %x2, %x : f32
  %t0 = arith.mulf %x3, %c1 : f32
  %t1 = arith.addf %x, %t0 : f32
  %t2 = arith.mulf %t1, %c0 : f32
  %t = math.tanh %t2 : f32
  %u = arith.addf %t, %one : f32
  %v = arith.mulf %x, %half : f32
  %y = arith.mulf %u, %v : f32
)";

static const char *geluErf = R"(
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0.70710678 : f32
  %t2 = arith.mulf %x, %c0 : f32
  %t = math.erf %t2 : f32
  %u = arith.addf %t, %one : f32
  %v = arith.mulf %x, %half : f32
  %y = arith.mulf %u, %v : f32
)";

static void benchPointwise(const std::string &rows, const std::string &width) {
  std::string all = rows + "x" + width + "xf32", row = width + "xf32";
  Launch launch = make("pointwise", {random(all), random(all)}, {all});
  launch.body = "%y = arith.addf %0, %1 : f32\n nlprt.yield %y : f32";
  bench(("add " + width).c_str(), launch);
  launch.ins = {random(all, -4, 4)};
  launch.body =
      "%z = arith.constant 0.0 : f32\n%x = arith.addf %0, %z : f32\n" +
      std::string(geluTanh) + "nlprt.yield %y : f32";
  bench(("gelu tanh " + width).c_str(), launch);
  launch.body =
      "%z = arith.constant 0.0 : f32\n%x = arith.addf %0, %z : f32\n" +
      std::string(geluErf) + "nlprt.yield %y : f32";
  bench(("gelu erf " + width).c_str(), launch);
  launch.ins = {random(all, -4, 4), random(row), random(all)};
  launch.body = "%x = arith.addf %0, %1 : f32\n" + std::string(geluTanh) +
                "%r = arith.addf %y, %2 : f32\nnlprt.yield %r : f32";
  bench(("bias+gelu+residual " + width).c_str(), launch);
}

static void benchNorms(const std::string &width) {
  std::string all = "1024x" + width + "xf32", row = width + "xf32",
              column = "1024xf32";
  Tensor x = random(all), w = random(row, 0.5, 1.5);
  Tensor mean = random(column, -0.1f, 0.1f), rstd = random(column, 1.5f, 1.8f);
  std::string epsilon = "epsilon = 1.0e-5";
  bench(("layer_norm " + width).c_str(),
        make("layer_norm", {x, w, w}, {all, column, column}, epsilon));
  bench(("layer_norm_grad " + width).c_str(),
        make("layer_norm_grad", {x, x, w, mean, rstd}, {all, row, row}));
  bench(("rms_norm " + width).c_str(),
        make("rms_norm", {x, w}, {all, column}, epsilon));
  bench(("rms_norm_grad " + width).c_str(),
        make("rms_norm_grad", {x, x, w, rstd}, {all, row}));
  bench(("column_sum " + width).c_str(), make("column_sum", {x}, {row}));
}

static void benchLoss() {
  std::string all = "1024x50257xf32";
  std::vector<int32_t> targets(1024, 17);
  Tensor logits = random(all, -5, 5), target("1024xi32", targets);
  std::string normalizer = "normalizer = 1024.0";
  bench("cross_entropy 50257", make("cross_entropy", {logits, target},
                                    {"f32", "1024xf32"}, normalizer));
  bench("cross_entropy_grad 50257",
        make("cross_entropy_grad",
             {Tensor("f32", std::vector<float>{1.0f}), logits, target,
              random("1024xf32", 11, 12)},
             {all}, normalizer, {{0, 1}}));
}

static void benchOptimizer() {
  std::string all = "38597376xf32";
  bench("adamw 38.6M",
        make("adamw",
             {random(all), random(all), random(all), random(all, 0, 1),
              Tensor("f32", std::vector<float>{1.0f}), scalar(1e-3),
              scalar(0.9), scalar(0.999), scalar(1e-8), scalar(0.1),
              Tensor("i64", std::vector<int64_t>{10})},
             {all, all, all}, "has_factor = 1, has_decay = 1",
             {{0, 0}, {1, 2}, {2, 3}}));
  bench("square_sum 38.6M", make("square_sum", {random(all)}, {"2356xf64"}));
}

static void benchMovement() {
  std::string all = "4x256x768xf32", heads = "4x256x12x64xf32";
  bench("copy: split of 2304",
        make("copy", {random("1024x2304xf32")}, {"1024x768xf32"},
             "shape = array<i64: 1024, 768>, in_strides = array<i64: 2304, 1>, "
             "out_strides = array<i64: 768, 1>, in_offset = 768, "
             "out_offset = 0"));
  bench("copy: transpose 1024x768",
        make("copy", {random("1024x768xf32")}, {"768x1024xf32"},
             "shape = array<i64: 768, 1024>, in_strides = array<i64: 1, 768>, "
             "out_strides = array<i64: 1024, 1>, in_offset = 0, "
             "out_offset = 0"));
  bench("dropout 768",
        make("dropout",
             {random(all), Tensor("i64", std::vector<int64_t>{1}),
              Tensor("i64", std::vector<int64_t>{0})},
             {all}, "rate = 0.1, site = 1"));
  std::string frequencies;
  for (int i = 0; i < 32; ++i)
    frequencies += (i ? ", " : "") + std::to_string(1.0 / (1 << (i / 2)));
  bench("rope 12 heads of 64",
        make("rope", {random(heads)}, {heads},
             "frequencies = array<f64: " + frequencies + ">"));
}

int main(int argc, char **argv) {
  std::string only = argc > 1 ? argv[1] : "";
  auto wanted = [&](const char *group) {
    return only.empty() || only == group;
  };
  if (wanted("pointwise")) {
    benchPointwise("1024", "768");
    benchPointwise("1024", "3072");
  }
  if (wanted("norm")) {
    benchNorms("768");
    benchNorms("3072");
  }
  if (wanted("loss"))
    benchLoss();
  if (wanted("optimizer"))
    benchOptimizer();
  if (wanted("movement"))
    benchMovement();
  return 0;
}

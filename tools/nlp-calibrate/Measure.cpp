//===- Measure.cpp - Rates of the machine at hand ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the entry points that compiled steps call, with all threads. Each
// figure is the median of several runs, after one that is not counted: what
// else the machine does disturbs some of them.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

using namespace nlp;

namespace {
/// Memory that is touched when it is made.
class Buffer {
public:
  explicit Buffer(size_t bytes)
      : memory(std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free) {
    if (!memory)
      throw std::bad_alloc();
    std::memset(memory.get(), 0, bytes);
  }
  void *get() const { return memory.get(); }

private:
  std::unique_ptr<void, decltype(&std::free)> memory;
};

/// out[m, n] = A * B, stored as the flags say.
struct Shape {
  int64_t m, n, k;
  bool transA, transB;
};
} // namespace

template <typename Run> static double getSeconds(Run run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static double getMedian(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Median seconds of `count` runs, after one more.
template <typename Run> static double getMedianSeconds(int count, Run run) {
  run();
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i)
    seconds.push_back(getSeconds(run));
  return getMedian(std::move(seconds));
}

std::optional<double> nlp::measureProducts(nlprt_context *context,
                                           nlprt_dtype dtype, int64_t threads) {
  // A layer forward, its input's gradient, its weight's gradient, and a square.
  static constexpr Shape shapes[] = {{1024, 3072, 768, false, false},
                                     {1024, 768, 3072, false, true},
                                     {768, 3072, 1024, true, false},
                                     {1024, 1024, 1024, false, true}};
  size_t width = dtype == NLPRT_F32 ? 4 : 2;
  std::vector<double> rates;
  for (const Shape &shape : shapes) {
    nlprt_matmul_params params = {};
    params.batch = 1;
    params.m = shape.m;
    params.n = shape.n;
    params.k = shape.k;
    params.trans_a = shape.transA;
    params.trans_b = shape.transB;
    params.dtype = dtype;
    int64_t workspace = nlprt_matmul_workspace(&params, threads);
    if (workspace < 0)
      return std::nullopt;
    Buffer a(shape.m * shape.k * width), b(shape.k * shape.n * width),
        out(shape.m * shape.n * width), scratch(workspace);
    void *buffers[] = {a.get(), b.get(), nullptr, out.get(), scratch.get()};
    bool good = true;
    double seconds = getMedianSeconds(7, [&] {
      good &= nlprt_matmul(context, nullptr, &params, buffers) == NLPRT_OK;
    });
    if (!good)
      return std::nullopt;
    rates.push_back(2.0 * shape.m * shape.n * shape.k / seconds);
  }
  return getMedian(std::move(rates));
}

static constexpr int64_t kPieceBytes = int64_t(1) << 18;

static void copyPieces(int64_t begin, int64_t end, void *const *buffers) {
  std::memcpy(static_cast<char *>(buffers[1]) + begin * kPieceBytes,
              static_cast<const char *>(buffers[0]) + begin * kPieceBytes,
              (end - begin) * kPieceBytes);
}

double nlp::measureCopy(nlprt_context *context, int64_t memoryBytes) {
  int64_t pieces =
      std::clamp<int64_t>(memoryBytes / 16 / kPieceBytes, 16, 1024);
  int64_t bytes = pieces * kPieceBytes;
  Buffer from(bytes), to(bytes);
  void *buffers[] = {from.get(), to.get()};
  double seconds = getMedianSeconds(7, [&] {
    nlprt_parallel(context, nullptr, copyPieces, pieces, buffers);
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

static constexpr int64_t kVectorItems = 64, kRounds = 4000, kLanes = 256;

/// Multiply-adds on as many independent sums as hide their latency. One clone
/// for each instruction set: kernels are compiled for the machine, too.
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "fma", "default"), optimize("O3")))
#endif
static void addProducts(int64_t begin, int64_t end, void *const *buffers) {
  float *sums = static_cast<float *>(buffers[0]);
  for (int64_t item = begin; item < end; ++item) {
    float local[kLanes];
    std::memcpy(local, sums + item * kLanes, sizeof(local));
    for (int64_t round = 0; round < kRounds; ++round)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        local[lane] = local[lane] * 0.999f + 0.001f;
    std::memcpy(sums + item * kLanes, local, sizeof(local));
  }
}

double nlp::measureVectors(nlprt_context *context, int64_t threads) {
  int64_t items = kVectorItems * threads;
  Buffer sums(items * kLanes * sizeof(float));
  void *buffers[] = {sums.get()};
  double seconds = getMedianSeconds(7, [&] {
    nlprt_parallel(context, nullptr, addProducts, items, buffers);
  });
  return 2.0 * static_cast<double>(items * kRounds * kLanes) / seconds;
}

static void doNothing(int64_t, int64_t, void *const *) {}

double nlp::measureLaunch(nlprt_context *context, int64_t threads) {
  constexpr int calls = 100;
  void *buffers[] = {nullptr};
  auto run = [&] {
    for (int i = 0; i < calls; ++i)
      nlprt_parallel(context, nullptr, doNothing, threads, buffers);
  };
  double least = getSeconds(run);
  for (int repetition = 0; repetition < 20; ++repetition)
    least = std::min(least, getSeconds(run));
  return least / calls;
}

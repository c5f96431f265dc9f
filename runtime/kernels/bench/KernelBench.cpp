//===- KernelBench.cpp - Rates of the library kernels -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints GFLOP/s (the best of several runs) of the products and of the
// attention of GPT-2 124M at 1,024 tokens, and the ratio to the best rate of a
// product in the same run, with the same number of threads. Attention counts
// only the operations that its mask needs.
//
// Usage: nlprt-kernel-bench [f32|bf16] [threads] [filter]
//
//===----------------------------------------------------------------------===//

#include "../test/Testing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <time.h>

using namespace nlprt;

namespace {

struct Bench {
  int64_t dtype = NLPRT_F32;
  nlprt_context context;
  const char *filter = "";
  double bestProduct = 0.0; // GFLOP/s
};

} // namespace

/// Processor time of this thread where it works alone, else time: what else the
/// machine does then disturbs less.
static double now(const Bench &bench) {
  timespec time;
  clock_gettime(bench.context.threads == 1 ? CLOCK_THREAD_CPUTIME_ID
                                           : CLOCK_MONOTONIC,
                &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/// Seconds of the fastest of several runs within about half a second.
static double fastest(const Bench &bench,
                      const std::function<nlprt_status()> &run) {
  double best = 1e30, total = 0.0;
  for (int i = 0; i < 50 && (i < 4 || total < 0.5); ++i) {
    double start = now(bench);
    if (nlprt_status status = run(); status != NLPRT_OK) {
      std::printf("  kernel failed with status %d\n", status);
      return best;
    }
    double seconds = now(bench) - start;
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

static void print(const Bench &bench, const char *name, double flops,
                  double seconds) {
  double rate = flops / seconds / 1e9;
  std::printf("%-28s %d thread%s %9.3f ms %8.1f GFLOP/s", name,
              bench.context.threads, bench.context.threads > 1 ? "s" : " ",
              seconds * 1e3, rate);
  if (bench.bestProduct > 0.0)
    std::printf("  %5.2f of best product", rate / bench.bestProduct);
  std::printf("\n");
  std::fflush(stdout);
}

static void runProduct(Bench &bench, const char *name, int64_t m, int64_t n,
                       int64_t k, bool transA, bool transB) {
  if (!std::strstr(name, bench.filter))
    return;
  nlprt_matmul_params params = {1, m, n, k, transA, transB, 0, 0, bench.dtype};
  std::vector<Buffer> buffers;
  buffers.push_back(randomBuffer(m * k, bench.dtype, 1));
  buffers.push_back(randomBuffer(k * n, bench.dtype, 2));
  buffers.push_back(Buffer());
  buffers.push_back(emptyBuffer(m * n, bench.dtype));
  buffers.push_back(
      Buffer(nlprt_matmul_workspace(&params, bench.context.threads)));
  std::vector<void *> pointers = pointersTo(buffers);
  double flops = 2.0 * m * n * k;
  double seconds = fastest(bench, [&] {
    return nlprt_matmul(&bench.context, nullptr, &params, pointers.data());
  });
  bench.bestProduct = std::max(bench.bestProduct, flops / seconds / 1e9);
  print(bench, name, flops, seconds);
}

static void runAttention(Bench &bench, const char *name, int64_t batch,
                         int64_t length, int64_t heads, int64_t kvHeads,
                         int64_t dim, double dropout) {
  nlprt_attention_params params = {batch,   length,  length,     heads,
                                   kvHeads, dim,     /*mask=*/1, /*window=*/0,
                                   0.125,   dropout, /*site=*/1, bench.dtype};
  nlprt_attention_grad_params grad;
  std::memcpy(&grad, &params, sizeof(grad));
  int64_t querySize = batch * length * heads * dim;
  int64_t keySize = batch * length * kvHeads * dim;
  int threads = bench.context.threads;
  std::vector<Buffer> f, b;
  f.push_back(randomBuffer(querySize, bench.dtype, 1));
  f.push_back(randomBuffer(keySize, bench.dtype, 2));
  f.push_back(randomBuffer(keySize, bench.dtype, 3));
  f.push_back(Buffer(8));
  f.push_back(Buffer(8));
  f.push_back(emptyBuffer(querySize, bench.dtype));
  f.push_back(emptyBuffer(batch * heads * length, NLPRT_F32));
  f.push_back(Buffer(nlprt_attention_workspace(&params, threads)));
  std::vector<void *> forward = pointersTo(f);
  b.push_back(randomBuffer(querySize, bench.dtype, 4));
  b.push_back(emptyBuffer(querySize, bench.dtype));
  b.push_back(emptyBuffer(keySize, bench.dtype));
  b.push_back(emptyBuffer(keySize, bench.dtype));
  b.push_back(Buffer(nlprt_attention_grad_workspace(&grad, threads)));
  std::vector<void *> backward = {b[0].data(), forward[0],  forward[1],
                                  forward[2],  forward[5],  forward[6],
                                  forward[3],  forward[4],  b[1].data(),
                                  b[2].data(), b[3].data(), b[4].data()};
  double flops = 2.0 * batch * heads * length * (length + 1) * dim;
  std::string label = std::string(name) + " forward";
  if (std::strstr(label.c_str(), bench.filter))
    print(bench, label.c_str(), flops, fastest(bench, [&] {
            return nlprt_attention(&bench.context, nullptr, &params,
                                   forward.data());
          }));
  label = std::string(name) + " backward";
  if (std::strstr(label.c_str(), bench.filter))
    print(bench, label.c_str(), 2.5 * flops, fastest(bench, [&] {
            return nlprt_attention_grad(&bench.context, nullptr, &grad,
                                        backward.data());
          }));
}

static void runEmbedding(Bench &bench) {
  int64_t rows = 50257, width = 768, count = 1024;
  if (!std::strstr("embedding", bench.filter))
    return;
  nlprt_embedding_grad_params params = {rows, width, count, bench.dtype};
  Buffer grad = randomBuffer(count * width, bench.dtype, 1);
  Buffer ids(count * 4), out = emptyBuffer(rows * width, bench.dtype);
  Buffer workspace(nlprt_embedding_grad_workspace(&params, 1));
  for (int64_t i = 0; i < count; ++i)
    static_cast<int32_t *>(ids.data())[i] = i * i * 37 % rows;
  void *buffers[] = {grad.data(), ids.data(), out.data(), workspace.data()};
  double seconds = fastest(bench, [&] {
    return nlprt_embedding_grad(&bench.context, nullptr, &params, buffers);
  });
  std::printf("%-28s %d thread%s %9.3f ms %8.1f GB/s written\n",
              "embedding gradient", bench.context.threads,
              bench.context.threads > 1 ? "s" : " ", seconds * 1e3,
              out.size() / seconds / 1e9);
}

static void runAll(Bench &bench) {
  struct {
    const char *name;
    int64_t m, n, k;
    bool transA, transB;
  } products[] = {
      {"product qkv", 1024, 2304, 768, false, false},
      {"product proj", 1024, 768, 768, false, false},
      {"product fc", 1024, 3072, 768, false, false},
      {"product fcproj", 1024, 768, 3072, false, false},
      {"product head", 1024, 50257, 768, false, true},
      {"product qkv dgrad", 1024, 768, 2304, false, true},
      {"product proj dgrad", 1024, 768, 768, false, true},
      {"product fc dgrad", 1024, 768, 3072, false, true},
      {"product fcproj dgrad", 1024, 3072, 768, false, true},
      {"product head dgrad", 1024, 768, 50257, false, false},
      {"product qkv wgrad", 768, 2304, 1024, true, false},
      {"product proj wgrad", 768, 768, 1024, true, false},
      {"product fc wgrad", 768, 3072, 1024, true, false},
      {"product fcproj wgrad", 3072, 768, 1024, true, false},
      {"product head wgrad", 50257, 768, 1024, true, false},
  };
  for (auto &p : products)
    runProduct(bench, p.name, p.m, p.n, p.k, p.transA, p.transB);
  runAttention(bench, "attention 4x256", 4, 256, 12, 12, 64, 0.0);
  runAttention(bench, "attention 1x1024", 1, 1024, 12, 12, 64, 0.0);
  runAttention(bench, "attention 16x64", 16, 64, 12, 12, 64, 0.0);
  runAttention(bench, "attention 4x256 dropout", 4, 256, 12, 12, 64, 0.1);
  runAttention(bench, "attention 1x1024 gqa d128", 1, 1024, 8, 2, 128, 0.0);
  runEmbedding(bench);
}

int main(int argc, char **argv) {
  Bench bench;
  if (argc > 1 && std::string(argv[1]) == "bf16")
    bench.dtype = NLPRT_BF16;
  if (argc > 3)
    bench.filter = argv[3];
  int most = argc > 2 ? std::atoi(argv[2]) : 0;
  for (int threads : {1, 2}) {
    if (most > 0 && threads != most)
      continue;
    bench.context.threads = threads;
    bench.bestProduct = 0.0;
    runAll(bench);
  }
  return 0;
}

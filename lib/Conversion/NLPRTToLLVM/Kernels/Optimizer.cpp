//===- Optimizer.cpp - Updates, square sums, clipping -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over parameter, gradient and moments, which may be updated in place.
// What depends on the step only is computed in f64, once for each call of the
// kernel, and rounded to f32 where it meets a vector.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace nlp::rt;

/// base^exponent for an integer exponent, 0 or more, by squaring.
static Val power(KernelBuilder &kernel, Val base, Val exponent) {
  // 2^63 - 1 steps and fewer have 63 bits.
  Vals state = kernel.forRange(
      kernel.index(0), kernel.index(63), 1,
      {kernel.constant(kernel.f64(), 1.0), base, exponent}, [&](Val, Vals s) {
        Val taken = kernel.select((s[2] & 1) == 1, s[0] * s[1], s[0]);
        return Vals{taken, s[1] * s[1], s[2] >> 1};
      });
  return state[0];
}

namespace {
/// The scalars of an update, in the order of the kernel's reads.
class Scalars {
public:
  Scalars(KernelBuilder &kernel, unsigned next) : kernel(kernel), next(next) {}

  Val take() { return kernel.loadScalar(kernel.buffer(next++)); }
  Val takeIf(bool given, Type type, double otherwise) {
    return given ? take() : kernel.constant(type, otherwise);
  }

private:
  KernelBuilder &kernel;
  unsigned next;
};
} // namespace

void nlp::rt::generateAdamW(const KernelRequest &request, StageSink &sink) {
  // parameter, grad, m, v, [factor], lr, beta1, beta2, epsilon, [decay], step
  //   -> parameter, m, v
  bool hasFactor = request.getInt("has_factor"),
       hasDecay = request.getInt("has_decay");
  int64_t count = request.count(0);
  sink.stage(llvm::divideCeil(count, kBlockElements),
             [&](KernelBuilder &kernel) {
               Scalars scalars(kernel, 4);
               Val factor = scalars.takeIf(hasFactor, kernel.f32(), 1.0);
               Val rate = scalars.take(), beta1 = scalars.take(),
                   beta2 = scalars.take();
               Val epsilon = scalars.take();
               Val decay = scalars.takeIf(hasDecay, kernel.f64(), 0.0);
               Val step = scalars.take();
               auto lanes = [&](Val scalar) {
                 return kernel.splat(kernel.convert(scalar, kernel.f32()));
               };
               Val factorLanes = lanes(factor), rateLanes = lanes(rate);
               Val beta1Lanes = lanes(beta1), rest1 = lanes(1.0 - beta1);
               Val beta2Lanes = lanes(beta2), rest2 = lanes(1.0 - beta2);
               Val correct1 = lanes(1.0 / (1.0 - power(kernel, beta1, step)));
               Val correct2 = lanes(1.0 / (1.0 - power(kernel, beta2, step)));
               Val epsilonLanes = lanes(epsilon), decayLanes = lanes(decay);
               kernel.forFlat(count, kBlockElements, [&](At at) {
                 Val p = kernel.load(kernel.buffer(0), at);
                 Val g = kernel.load(kernel.buffer(1), at);
                 Val m = kernel.load(kernel.buffer(2), at);
                 Val v = kernel.load(kernel.buffer(3), at);
                 if (hasFactor)
                   g = g * factorLanes;
                 m = beta1Lanes * m + rest1 * g;
                 v = beta2Lanes * v + rest2 * (g * g);
                 Val change =
                     m * correct1 / (kernel.sqrt(v * correct2) + epsilonLanes);
                 if (hasDecay)
                   change = decayLanes * p + change;
                 kernel.store(kernel.buffer(request.reads), at,
                              p - rateLanes * change);
                 kernel.store(kernel.buffer(request.reads + 1), at, m);
                 kernel.store(kernel.buffer(request.reads + 2), at, v);
               });
             });
}

void nlp::rt::generateSGD(const KernelRequest &request, StageSink &sink) {
  // parameter, grad, velocity, [factor], lr, momentum, [decay]
  //   -> parameter, velocity
  bool hasFactor = request.getInt("has_factor"),
       hasDecay = request.getInt("has_decay");
  int64_t count = request.count(0);
  sink.stage(
      llvm::divideCeil(count, kBlockElements), [&](KernelBuilder &kernel) {
        Scalars scalars(kernel, 3);
        auto lanes = [&](Val scalar) {
          return kernel.splat(kernel.convert(scalar, kernel.f32()));
        };
        Val factor = lanes(scalars.takeIf(hasFactor, kernel.f32(), 1.0));
        Val rate = lanes(scalars.take()), momentum = lanes(scalars.take());
        Val decay = lanes(scalars.takeIf(hasDecay, kernel.f64(), 0.0));
        kernel.forFlat(count, kBlockElements, [&](At at) {
          Val p = kernel.load(kernel.buffer(0), at);
          Val g = kernel.load(kernel.buffer(1), at);
          Val u = kernel.load(kernel.buffer(2), at);
          if (hasFactor)
            g = g * factor;
          u = momentum * u + g;
          Val change = hasDecay ? decay * p + u : u;
          kernel.store(kernel.buffer(request.reads), at, p - rate * change);
          kernel.store(kernel.buffer(request.reads + 1), at, u);
        });
      });
}

void nlp::rt::generateSquareSum(const KernelRequest &request, StageSink &sink) {
  // in -> out, one sum for each block of 16384 elements
  int64_t count = request.count(0);
  int64_t whole = count / kBlockElements, rest = count % kBlockElements;
  sink.stage(
      llvm::divideCeil(count, kBlockElements), [&](KernelBuilder &kernel) {
        auto sumBlock = [&](Val block, int64_t elements) {
          Buffer in = kernel.buffer(0).from(block * kBlockElements);
          // Four streams: see CrossEntropy.cpp.
          int64_t streams = elements % (4 * kLanes) ? 1 : 4;
          Vals sums = kernel.sums(
              elements / streams, streams,
              [&](At at) {
                Vals squares;
                for (int64_t stream : llvm::seq(streams)) {
                  Val x = kernel.convert(
                      kernel.load(
                          in.from(kernel.index(stream * (elements / streams))),
                          at),
                      kernel.f64());
                  squares.push_back(x * x);
                }
                return squares;
              },
              kernel.f64(), /*unroll=*/streams == 1 ? 4 : 1);
          kernel.storeScalar(
              kernel.buffer(1), block,
              std::accumulate(std::next(sums.begin()), sums.end(), sums[0]));
        };
        kernel.forRange(kernel.begin(),
                        kernel.min(kernel.end(), kernel.index(whole)), 1,
                        [&](Val block) { sumBlock(block, kBlockElements); });
        if (rest)
          kernel.ifThen(kernel.end() > whole,
                        [&] { sumBlock(kernel.index(whole), rest); });
      });
}

void nlp::rt::generateClipFactor(const KernelRequest &request,
                                 StageSink &sink) {
  // max_norm, square_sums... -> factor, norm
  SmallVector<int64_t> counts;
  for (unsigned read : llvm::seq(1u, request.reads))
    counts.push_back(request.count(read));
  sink.stage(1, [&](KernelBuilder &kernel) {
    Vals total = {kernel.constant(kernel.f64(), 0.0)};
    if (!counts.empty()) {
      Buffer table = kernel.table(counts);
      total = kernel.forRange(
          kernel.index(0), kernel.index(counts.size()), 1, total,
          [&](Val number, Vals sum) {
            Buffer sums = kernel.dynamicBuffer(number + 1, kernel.f64());
            return kernel.forRange(
                kernel.index(0), kernel.loadScalar(table, number), 1, sum,
                [&](Val i, Vals before) {
                  return Vals{before[0] + kernel.loadScalar(sums, i)};
                });
          });
    }
    Val norm = kernel.sqrt(total[0]),
        limit = kernel.loadScalar(kernel.buffer(0));
    Val one = kernel.constant(kernel.f64(), 1.0);
    // A norm that is NaN gives a factor that is NaN.
    Val ratio = limit / (norm + 1e-6);
    Val factor = kernel.select(limit > 0.0, kernel.min(one, ratio), one);
    Buffer out = kernel.buffer(request.reads),
           outNorm = kernel.buffer(request.reads + 1);
    kernel.storeScalar(out, kernel.index(0),
                       kernel.convert(factor, kernel.f32()));
    kernel.storeScalar(outNorm, kernel.index(0),
                       kernel.convert(norm, kernel.f32()));
  });
}

//===- KernelHarness.h - Compile a kernel and run it ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of one routine with one launch goes through -convert-nlprt-to-llvm
// and is compiled in this process. Buffers are placed one after the other, each
// between guard bytes that must survive.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_CONVERSION_KERNELHARNESS_H
#define NLP_TEST_UNIT_CONVERSION_KERNELHARNESS_H

#include "nlprt/nlprt.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace nlp::test {

/// A dense array with the text of its memref type, "8x64xf32".
struct Tensor {
  std::string type;
  std::vector<char> bytes;

  Tensor() = default;
  explicit Tensor(std::string type);

  template <typename T>
  Tensor(std::string type, const std::vector<T> &values) : Tensor(type) {
    bytes.resize(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  template <typename T> std::vector<T> get() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// What to run: a kernel of the catalogue or, where `body` is given, the lines
/// of a scalar definition whose arguments are %0, %1, ...
struct Launch {
  std::string kernel;
  std::vector<Tensor> ins;
  std::vector<std::string> outTypes;
  std::string params;
  std::string body;
  /// Output number `first` uses the bytes of input number `second`.
  std::vector<std::pair<unsigned, unsigned>> shared;
};

/// A launch that is compiled in this process.
class CompiledLaunch {
public:
  explicit CompiledLaunch(const Launch &launch,
                          const std::string &cpu = "host");
  ~CompiledLaunch();

  bool isValid() const { return program; }
  int64_t getArenaBytes() const;
  /// Where input or output number `number` is in the arena.
  int64_t getInOffset(unsigned number) const;
  int64_t getOutOffset(unsigned number) const;
  /// Runs the launch once; `parallel` has the type of nlprt_parallel.
  int run(char *arena, void *parallel) const;

private:
  friend std::vector<Tensor> run(const Launch &launch, const std::string &cpu);
  int64_t getOffset(const std::string &name) const;

  Launch launch;
  struct Code;
  std::unique_ptr<Code> code;
  const nlprt_program *program = nullptr;
};

/// Compiles and runs the launch with its items cut into one, two and five
/// parts, the last part first; results must agree to the bit.
std::vector<Tensor> run(const Launch &launch, const std::string &cpu = "host");

/// bf16, rounded to the nearest, ties to even.
uint16_t toBF16(float value);
float fromBF16(uint16_t value);

/// As MLIR writes it, with the values and their types in order.
std::string getProgramText(const Launch &launch);

/// Numbers in [low, high) that look random, the same each time.
std::vector<float> randomFloats(size_t count, float low = -1.0f,
                                float high = 1.0f, uint64_t seed = 1);

/// |a - b| / |b| in L2.
double relativeError(const std::vector<float> &a, const std::vector<double> &b);

} // namespace nlp::test

#endif // NLP_TEST_UNIT_CONVERSION_KERNELHARNESS_H

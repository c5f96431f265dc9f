//===- CheckProgram.cpp - Are the compiled tables sound? -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiler and runtime are linked together but built apart; a mismatch is found
// here, before anything is written through an offset.
//
//===----------------------------------------------------------------------===//

#include "core/DType.h"
#include "core/Step.h"
#include "core/Support.h"
#include <initializer_list>
#include <string>

namespace nlprt {

namespace {
struct Checker {
  const nlprt_program &program;

  static void require(bool good, const std::string &what) {
    if (!good)
      throw Error("the compiled program is damaged or of another version: " +
                  what);
  }

  /// Elements of a tensor whose bytes lie in the arena.
  int64_t checkTensor(const nlprt_tensor &tensor) const {
    require(tensor.name, "a tensor without a name");
    std::string name = tensor.name;
    int64_t bytes = dtypeBytes(tensor.dtype), elements = 1, size = 0;
    require(bytes > 0, "dtype of " + name);
    for (int64_t i = 0; i < tensor.rank; ++i)
      require(tensor.shape[i] >= 0 &&
                  !__builtin_mul_overflow(elements, tensor.shape[i], &elements),
              "shape of " + name);
    require(!__builtin_mul_overflow(elements, bytes, &size) &&
                tensor.bytes == size,
            "size of " + name);
    require(tensor.offset >= 0 && tensor.offset % bytes == 0 &&
                tensor.offset <= program.arena_bytes - tensor.bytes,
            "offset of " + name);
    return elements;
  }

  /// `last` is the largest number that names such a port.
  void checkPort(const nlprt_port &port, const char *what, int64_t last,
                 int64_t elements,
                 std::initializer_list<int64_t> dtypes) const {
    int64_t got = checkTensor(port.tensor);
    require(port.kind >= 0 && port.kind <= last,
            std::string("kind of ") + what + " " + port.tensor.name);
    require(got == elements, std::string(what) + " " + port.tensor.name +
                                 " has " + std::to_string(got) +
                                 " elements instead of " +
                                 std::to_string(elements));
    bool known = false;
    for (int64_t dtype : dtypes)
      known |= port.tensor.dtype == dtype;
    require(known, std::string(what) + " " + port.tensor.name + " is " +
                       dtypeName(port.tensor.dtype));
    require(port.segment >= -1 && port.segment < program.segment_count,
            std::string("segment of ") + port.tensor.name);
  }

  void checkSizes() const {
    require(program.abi_version == NLPRT_ABI_VERSION,
            "expected ABI version " + std::to_string(NLPRT_ABI_VERSION) +
                ", but got " + std::to_string(program.abi_version));
    require(program.micro_batch > 0 && program.global_batch > 0 &&
                program.global_batch % program.micro_batch == 0,
            "batch sizes");
    require(program.seq_len > 0 && program.vocab_size > 0 &&
                program.planned_threads > 0,
            "sequence length, vocabulary or threads");
    int64_t tokens = 0;
    require(program.seq_len < INT64_MAX &&
                !__builtin_mul_overflow(program.global_batch,
                                        program.seq_len + 1, &tokens),
            "tokens of a batch");
    int64_t alignment = program.arena_alignment;
    require(program.arena_bytes >= 0 && alignment > 0 &&
                (alignment & (alignment - 1)) == 0,
            "arena");
  }

  void checkRuns() const {
    int64_t count = program.global_batch / program.micro_batch;
    require(program.run_count > 0, "no runs");
    for (int64_t i = 0; i < program.run_count; ++i) {
      const nlprt_run &run = program.runs[i];
      require(run.segment >= 0 && run.segment < program.segment_count &&
                  run.micro_batch >= 0 && run.micro_batch < count,
              "run " + std::to_string(i));
    }
    for (int64_t i = 0; i < program.segment_count; ++i)
      require(program.segments[i].run && program.segments[i].name,
              "segment " + std::to_string(i));
  }
};
} // namespace

void checkProgram(const nlprt_program &program) {
  Checker checker{program};
  checker.checkSizes();
  checker.checkRuns();
  for (int64_t i = 0; i < program.parameter_count; ++i) {
    const nlprt_tensor &tensor = program.parameters[i].tensor;
    checker.checkTensor(tensor);
    Checker::require(floatNamed(dtypeName(tensor.dtype)) >= 0,
                     std::string("dtype of ") + tensor.name);
  }
  for (int64_t i = 0; i < program.state_count; ++i)
    checker.checkTensor(program.states[i]);
  int64_t tokens = program.micro_batch * program.seq_len;
  for (int64_t i = 0; i < program.input_count; ++i)
    checker.checkPort(program.inputs[i], "input", NLPRT_TARGETS, tokens,
                      {NLPRT_I32, NLPRT_I64});
  for (int64_t i = 0; i < program.scalar_count; ++i)
    checker.checkPort(program.scalars[i], "scalar", NLPRT_FIRST_SEQUENCE, 1,
                      {NLPRT_F32, NLPRT_F64, NLPRT_I32, NLPRT_I64});
  bool hasLoss = false;
  for (int64_t i = 0; i < program.figure_count; ++i) {
    checker.checkPort(program.figures[i], "figure", NLPRT_GRAD_NORM, 1,
                      {NLPRT_F32, NLPRT_F64});
    hasLoss |= program.figures[i].kind == NLPRT_LOSS;
  }
  Checker::require(hasLoss, "no loss");
}

} // namespace nlprt

//===- ArenaMachine.h - Runs programs on numbers for cache lines *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program computes, whatever its kernels are: each cache line holds one
// number, and a launch writes a hash of all that it reads. A program is run
// once with storage for each buffer, as it is meant, and once in its arena.
// Where both have read the same, the places are good.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_NLPRT_ARENAMACHINE_H
#define NLP_TEST_UNIT_NLPRT_ARENAMACHINE_H

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include <map>

class ArenaMachine {
public:
  /// With `inArena`, buffers lie at their offsets; else each has its own lines,
  /// a slot for each micro-batch.
  ArenaMachine(nlp::rt::ProgramOp program, bool inArena)
      : program(program), inArena(inArena) {}

  /// A hash of everything that kernels and training loop read in two steps with
  /// an evaluation after each; 0 where a launch writes over what it reads
  /// although its kernel may not.
  uint64_t run();

private:
  /// Some cache lines. Numbers of other spaces are never the same lines.
  struct Lines {
    std::pair<mlir::Operation *, int64_t> space;
    int64_t first, count;
    mlir::Value root; ///< Null for whole buffers.
  };

  Lines locate(mlir::Value buffer, int64_t microBatch);
  Lines locate(nlp::rt::BufferOp buffer, int64_t microBatch);
  uint64_t read(const Lines &lines);
  void write(const Lines &lines, uint64_t value);
  void run(nlp::rt::KernelOpInterface op, int64_t microBatch);
  void run(nlp::rt::RoutineOp routine, int64_t microBatch, int64_t step);
  void readFigures(nlp::rt::RoutineOp routine);

  nlp::rt::ProgramOp program;
  bool inArena, isGood = true;
  std::map<std::tuple<mlir::Operation *, int64_t, int64_t>, uint64_t> memory;
  uint64_t trace = 1, launches = 0;
};

#endif // NLP_TEST_UNIT_NLPRT_ARENAMACHINE_H

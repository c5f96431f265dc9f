//===- ProgramTables.cpp - Tables of a compiled program ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field the structs of nlprt.h. Entries stand in the order of the
// program's buffers and routines.
//
//===----------------------------------------------------------------------===//

#include "ProgramTables.h"
#include "nlprt/nlprt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nlp::rt;

std::string nlp::rt::getRoutineFunction(RoutineOp routine) {
  return ("run_" + routine.getSymName()).str();
}

int64_t nlp::rt::getDtype(Type type) {
  if (type.isF32())
    return NLPRT_F32;
  if (type.isBF16())
    return NLPRT_BF16;
  if (type.isF16())
    return NLPRT_F16;
  if (type.isF64())
    return NLPRT_F64;
  return type.isInteger(8)    ? NLPRT_I8
         : type.isInteger(32) ? NLPRT_I32
                              : NLPRT_I64;
}

/// An nlprt_tensor.
static Field makeTensor(BufferOp buffer, ConstantTables &tables) {
  auto type = cast<MemRefType>(buffer.getType());
  return Field::record({tables.string(buffer.getSymName()),
                        Field::word(getDtype(type.getElementType())),
                        Field::word(type.getRank()),
                        tables.words(type.getShape()),
                        Field::word(buffer.getOffsets()->front()),
                        Field::word(getBufferBytes(type))});
}

namespace {
/// Numbers of routines, and of those that use each buffer.
struct Routines {
  llvm::MapVector<StringAttr, int64_t> numbers;
  llvm::DenseMap<StringAttr, llvm::SmallSetVector<int64_t, 2>> users;

  explicit Routines(ProgramOp program) {
    for (auto routine : program.getBody().getOps<RoutineOp>()) {
      int64_t number = numbers.size();
      numbers[routine.getSymNameAttr()] = number;
      routine.walk([&](GetOp get) {
        users[get.getBufferAttr().getAttr()].insert(number);
      });
    }
  }

  /// The routines that use the buffer, in order.
  ArrayRef<int64_t> getUsers(BufferOp buffer) const {
    auto found = users.find(buffer.getSymNameAttr());
    return found == users.end() ? ArrayRef<int64_t>()
                                : found->second.getArrayRef();
  }
};
} // namespace

void nlp::rt::defineProgram(ProgramOp program, ConstantTables &tables) {
  Routines routines(program);
  SmallVector<Field> parameters, states, inputs, scalars, figures, segments;
  for (auto buffer : program.getBody().getOps<BufferOp>()) {
    Field tensor = makeTensor(buffer, tables);
    // One port for each routine: where no run uses an input, its bytes are
    // somebody else's.
    auto addPorts = [&](SmallVector<Field> &ports) {
      for (int64_t user : routines.getUsers(buffer))
        ports.push_back(Field::record(
            {Field::word(buffer.getPort()), Field::word(user), tensor}));
    };
    switch (buffer.getKind()) {
    case BufferKind::Parameter:
      parameters.push_back(Field::record(
          {tensor, Field::word(buffer.getInit()),
           Field::real(buffer.getInitScale().convertToDouble()),
           Field::word(buffer.getDecay()), Field::word(buffer.getFrozen())}));
      break;
    case BufferKind::State:
      states.push_back(tensor);
      break;
    case BufferKind::Input:
      addPorts(inputs);
      break;
    case BufferKind::Scalar:
      addPorts(scalars);
      break;
    case BufferKind::Figure:
      addPorts(figures);
      break;
    case BufferKind::Slot:
    case BufferKind::Accumulator:
      break;
    }
  }
  for (auto routine : program.getBody().getOps<RoutineOp>())
    segments.push_back(
        Field::record({tables.string(routine.getSymName()),
                       Field::word(static_cast<int64_t>(routine.getKind())),
                       Field::address(getRoutineFunction(routine))}));
  SmallVector<int64_t> runs;
  for (auto run : program.getRuns().getAsRange<RunAttr>())
    runs.append({routines.numbers.lookup(run.getRoutine().getAttr()),
                 run.getMicroBatch()});
  auto count = [](const auto &list) {
    return Field::word(static_cast<int64_t>(list.size()));
  };
  tables.define(
      "nlprt_compiled_program",
      Field::record({Field::word(NLPRT_ABI_VERSION),
                     tables.string(program.getModel()),
                     tables.string(program.getPlan().value_or("{}")),
                     Field::word(*program.getArenaBytes()),
                     Field::word(64),
                     Field::word(program.getThreads()),
                     Field::word(program.getGlobalBatch()),
                     Field::word(program.getMicroBatch()),
                     Field::word(program.getSeqLen()),
                     Field::word(program.getVocabSize()),
                     count(parameters),
                     tables.records("parameter_table", parameters),
                     count(states),
                     tables.records("state_table", states),
                     count(inputs),
                     tables.records("input_table", inputs),
                     count(scalars),
                     tables.records("scalar_table", scalars),
                     count(figures),
                     tables.records("figure_table", figures),
                     count(segments),
                     tables.records("segment_table", segments),
                     Field::word(static_cast<int64_t>(runs.size() / 2)),
                     tables.words(runs)}));
}

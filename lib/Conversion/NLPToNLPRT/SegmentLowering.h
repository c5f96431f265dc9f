//===- SegmentLowering.h - From one segment to one routine ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of lowering one segment: which buffer holds which tensor. Each op
// family registers how its ops become launches; nothing else knows op classes.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPTONLPRT_SEGMENTLOWERING_H
#define NLP_LIB_CONVERSION_NLPTONLPRT_SEGMENTLOWERING_H

#include "nlp/Conversion/SegmentLaunches.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

namespace nlp {

/// Where values go that outlive the segment: names of program buffers.
struct ProgramBuffers {
  /// The buffer of the given name, which is added unless there is one. Fails
  /// with an error where there is one of another type or kind.
  mlir::FailureOr<rt::BufferOp>
  getOrCreate(llvm::StringRef name, mlir::Location loc, mlir::MemRefType type,
              rt::BufferKind kind, rt::Category category, int64_t port = 0);

  rt::ProgramOp program;
  llvm::StringMap<rt::BufferOp> byName;
  /// Names of the buffers of parameters and states, of slots.
  llvm::StringMap<std::string> symbols, slots;
  /// The addition to each accumulating slot that a micro-batch does first.
  llvm::SmallPtrSet<mlir::Operation *, 16> firstAdditions;
  /// Micro-batches of a step: with one, accumulators are written directly.
  int64_t microBatches = 1;
};

class SegmentLowering {
public:
  SegmentLowering(ProgramBuffers &buffers, rt::RoutineOp routine);

  /// Lowers all ops of `segment` in order, and shows the launches that come of
  /// each to `visit` if there is one.
  llvm::LogicalResult run(SegmentOp segment, LaunchVisitor visit = nullptr);

  /// The buffer that holds `tensor`.
  mlir::Value getBuffer(mlir::Value tensor) const;
  llvm::SmallVector<mlir::Value> getBuffers(mlir::ValueRange tensors) const;

  /// The buffer that `result` is to be computed into: its destination outside
  /// of the segment where it has one, its range of what it is joined to, else a
  /// new one.
  mlir::Value makeBuffer(mlir::OpResult result);

  /// The addition to a slot that the op of `result` has to do itself, since the
  /// buffer of `result` is the slot's and holds a sum already; null if none.
  SlotAccumulateOp getAddition(mlir::OpResult result) const;

  /// Says that `buffer` holds `tensor`.
  void setBuffer(mlir::Value tensor, mlir::Value buffer) {
    buffers[tensor] = buffer;
  }

  /// Launches `kernel` on the buffers of `ins` into the buffers of the op's
  /// results. Flops come from the op's cost model.
  void launch(mlir::Operation *op, llvm::StringRef kernel, mlir::ValueRange ins,
              llvm::ArrayRef<mlir::NamedAttribute> params);
  /// The same with buffers in and out.
  rt::LaunchOp launchOn(mlir::Operation *op, llvm::StringRef kernel,
                        mlir::ValueRange inBuffers, mlir::ValueRange outBuffers,
                        llvm::ArrayRef<mlir::NamedAttribute> params);

  /// The program buffer `name`, as a value in this routine.
  mlir::Value getProgramBuffer(rt::BufferOp buffer, mlir::Location loc);

  mlir::NamedAttribute getInt(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute getReal(llvm::StringRef name, double value);
  mlir::NamedAttribute getInts(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> values);

  mlir::OpBuilder builder;
  ProgramBuffers &program;

private:
  llvm::LogicalResult lower(mlir::Operation *op);
  llvm::LogicalResult lowerAndShow(mlir::Operation *op, LaunchVisitor visit);
  /// Notes which results are computed in place of a symbol or slot.
  llvm::LogicalResult findDestinations(SegmentOp segment);
  /// Notes which results are computed in place of a part of `nlp.concat`.
  void findJoins(SegmentOp segment);
  /// Whether an addition is the only first one to its slot in a step.
  bool overwrites(SlotAccumulateOp add) const;
  /// Whether a value is read on both sides of the segment's turn.
  bool crossesTurn(mlir::OpResult result) const;

  rt::RoutineOp routine;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Value, mlir::Operation *> destinations;
  /// The value that a result is a part of, and where it begins, in bytes.
  llvm::DenseMap<mlir::Value, std::pair<mlir::OpResult, int64_t>> joins;
  llvm::DenseMap<mlir::Operation *, mlir::Value> gets;
  mlir::Operation *turn = nullptr;
};

/// How each op becomes launches, by op.
class LoweringTable {
public:
  using Lowering =
      std::function<llvm::LogicalResult(mlir::Operation *, SegmentLowering &)>;

  template <typename Op>
  void add(std::function<llvm::LogicalResult(Op, SegmentLowering &)> lowering) {
    table[mlir::TypeID::get<Op>()] = [lowering](mlir::Operation *op,
                                                SegmentLowering &segment) {
      return lowering(llvm::cast<Op>(op), segment);
    };
  }
  const Lowering *lookup(mlir::Operation *op) const;

  /// The table with all families.
  static const LoweringTable &get();

private:
  llvm::DenseMap<mlir::TypeID, Lowering> table;
};

void addShapeLowerings(LoweringTable &table);
void addMatmulLowerings(LoweringTable &table);
void addNormLowerings(LoweringTable &table);
void addAttentionLowerings(LoweringTable &table);
void addLossLowerings(LoweringTable &table);
void addOptimizerLowerings(LoweringTable &table);
void addStepLowerings(LoweringTable &table);
void addPointwiseLowerings(LoweringTable &table);

/// Lowers any op that has a scalar definition.
llvm::LogicalResult lowerPointwise(ScalarDefinitionOpInterface op,
                                   SegmentLowering &segment);

/// The buffer type of a tensor type.
mlir::MemRefType getBufferType(mlir::Type tensor);

/// The ABI's number of an element type.
int64_t getDType(mlir::Type element);

} // namespace nlp

#endif // NLP_LIB_CONVERSION_NLPTONLPRT_SEGMENTLOWERING_H

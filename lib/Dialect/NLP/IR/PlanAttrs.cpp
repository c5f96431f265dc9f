//===- PlanAttrs.cpp - Verifiers of the plan ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace nlp;

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t dp, int64_t tp, int64_t pp, int64_t cp,
                               int64_t ep) {
  if (dp < 1 || tp < 1 || pp < 1 || cp < 1 || ep < 1) // (C1)
    return emitError() << "expected mesh axes of size 1 or more";
  int64_t ranks = 1;
  for (int64_t size : {dp, tp, pp, cp, ep}) // (C2)
    if (llvm::MulOverflow(ranks, size, ranks) ||
        ranks > std::numeric_limits<int32_t>::max())
      return emitError() << "expected a mesh of fewer than 2^31 ranks";
  return success();
}

/// Adds `axes` to `seen`; fails on unknown axes and on repetition.
static LogicalResult collectAxes(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> axes,
                                 llvm::StringSet<> &seen) {
  for (StringAttr axis : axes) {
    StringRef name = axis.getValue();
    if (!llvm::is_contained({"dp", "tp", "pp", "cp", "ep"}, name))
      return emitError()
             << "expected a mesh axis (dp, tp, pp, cp, ep), but got '" << name
             << "'";
    if (!seen.insert(name).second)
      return emitError() << "mesh axis '" << name << "' is named twice";
  }
  return success();
}

LogicalResult
DimShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<StringAttr> axes) {
  llvm::StringSet<> seen;
  return collectAxes(emitError, axes, seen); // (C1)
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<DimShardingAttr> dims,
                                   ArrayRef<StringAttr> partial) {
  llvm::StringSet<> seen;
  for (DimShardingAttr dim : dims)
    if (failed(collectAxes(emitError, dim.getAxes(), seen))) // (C1)
      return failure();
  return collectAxes(emitError, partial, seen);
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleKind kind, int64_t chunks) {
  if (chunks < 1 || chunks > std::numeric_limits<int32_t>::max() ||
      (chunks > 1 && kind != ScheduleKind::Interleaved)) // (C1)
    return emitError() << "expected one chunk per stage except for an "
                          "interleaved schedule, but got "
                       << chunks;
  return success();
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               MeshAttr mesh, int64_t zero,
                               bool sequenceParallel, int64_t microBatch,
                               int64_t lossChunks, ScheduleAttr schedule,
                               Numerics numerics, int64_t budget,
                               bool updateInBackward,
                               ArrayRef<int64_t> stageLayers) {
  if (zero < 0 || zero > 3) // (C1)
    return emitError() << "expected a ZeRO stage of 0 to 3, but got " << zero;
  if (microBatch < 1 || lossChunks < 1) // (C2)
    return emitError() << "expected micro_batch and loss_chunks of 1 or more";
  int64_t stages = mesh.getPp() * schedule.getChunks();
  if (!stageLayers.empty() &&
      (static_cast<int64_t>(stageLayers.size()) != stages ||
       llvm::any_of(stageLayers, [](int64_t n) { return n < 0; }))) // (C3)
    return emitError() << "expected " << stages
                       << " stage_layers of 0 or more, but got "
                       << stageLayers.size();
  if (mesh.getPp() == 1 && (schedule.getKind() == ScheduleKind::Interleaved ||
                            schedule.getKind() == ScheduleKind::ZBH1 ||
                            schedule.getKind() == ScheduleKind::ZBH2)) // (C4)
    return emitError() << "schedule "
                       << stringifyScheduleKind(schedule.getKind())
                       << " needs a pipeline of 2 stages or more";
  if (budget < 0) // (C5)
    return emitError() << "expected a budget of 0 or more, but got " << budget;
  return success();
}

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> ops,
                                ArrayRef<int64_t> instances) {
  if (ops.size() != instances.size()) // (C1)
    return emitError() << "expected as many instances as ops, but got "
                       << instances.size() << " and " << ops.size();
  // Not a DenseSet, which keeps some numbers for itself.
  std::set<std::pair<int64_t, int64_t>> seen;
  for (auto [op, instance] : llvm::zip(ops, instances))
    if (op < 0 || instance < 0 || !seen.insert({op, instance}).second) // (C2)
      return emitError() << "entry (" << op << ", " << instance
                         << ") is negative or occurs twice";
  return success();
}

LogicalResult RunAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              FlatSymbolRefAttr segment, int64_t microBatch) {
  if (microBatch < 0) // (C1)
    return emitError() << "expected a micro-batch of 0 or more, but got "
                       << microBatch;
  return success();
}

LogicalResult ModelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr name, int64_t globalBatch,
                                int64_t seqLen, int64_t vocabSize) {
  if (globalBatch < 1 || seqLen < 1 || vocabSize < 1) // (C1)
    return emitError() << "expected sizes of 1 or more";
  return success();
}

PlanAttr nlp::getTrivialPlan(MLIRContext *context, int64_t globalBatch) {
  return PlanAttr::get(context, MeshAttr::get(context, 1, 1, 1, 1, 1),
                       /*zero=*/0, /*sequence_parallel=*/false,
                       /*micro_batch=*/globalBatch, /*loss_chunks=*/1,
                       ScheduleAttr::get(context, ScheduleKind::None, 1),
                       Numerics::Exact, /*budget=*/0,
                       /*update_in_backward=*/false, /*stage_layers=*/{});
}

//===----------------------------------------------------------------------===//
// #nlp.op_plan
//===----------------------------------------------------------------------===//

/// `<storage = [recompute, keep], precision = bf16, shardings = [...],
/// stage = 1>`, each part optional, in any order.
Attribute OpPlanAttr::parse(AsmParser &parser, Type) {
  SmallVector<StorageKind> storage;
  Type precision;
  SmallVector<ShardingAttr> shardings;
  int64_t stage = 0;
  llvm::StringSet<> seen;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(loc, "'") << name << "' is given twice";
    if (name == "precision")
      return parser.parseType(precision);
    if (name == "stage")
      return parser.parseInteger(stage);
    if (name == "shardings")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseCustomAttributeWithFallback(
            shardings.emplace_back());
      });
    if (name != "storage")
      return parser.emitError(loc, "expected storage, precision, shardings or "
                                   "stage, but got '")
             << name << "'";
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      StringRef word;
      llvm::SMLoc wordLoc = parser.getCurrentLocation();
      if (parser.parseKeyword(&word))
        return ParseResult(failure());
      std::optional<StorageKind> kind = symbolizeStorageKind(word);
      if (!kind)
        return ParseResult(
            parser.emitError(wordLoc, "expected keep, recompute, offload or "
                                      "compress, but got '")
            << word << "'");
      storage.push_back(*kind);
      return ParseResult(success());
    });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return OpPlanAttr::get(parser.getContext(), storage, precision, shardings,
                         stage);
}

void OpPlanAttr::print(AsmPrinter &printer) const {
  StringRef separator = "";
  auto next = [&](StringRef name) -> raw_ostream & {
    printer << separator << name << " = ";
    separator = ", ";
    return printer.getStream();
  };
  printer << "<";
  if (!getStorage().empty()) {
    next("storage") << "[";
    llvm::interleaveComma(getStorage(), printer, [&](StorageKind kind) {
      printer << stringifyStorageKind(kind);
    });
    printer << "]";
  }
  if (getPrecision()) {
    next("precision");
    printer << getPrecision();
  }
  if (!getShardings().empty()) {
    next("shardings") << "[";
    llvm::interleaveComma(getShardings(), printer, [&](ShardingAttr sharding) {
      printer.printStrippedAttrOrType(sharding);
    });
    printer << "]";
  }
  if (getStage() != 0)
    next("stage") << getStage();
  printer << ">";
}

LogicalResult nlp::verifyOpPlan(Operation *op) {
  auto planned = dyn_cast<PlannedOpInterface>(op);
  OpPlanAttr plan = planned ? planned.getOpPlan() : OpPlanAttr();
  if (!plan)
    return success();
  if (!plan.getStorage().empty() &&
      plan.getStorage().size() != op->getNumResults()) // (C1)
    return op->emitOpError("expected a storage kind for each of ")
           << op->getNumResults() << " results, but got "
           << plan.getStorage().size();
  if (!plan.getShardings().empty()) { // (C2)
    if (plan.getShardings().size() != op->getNumResults())
      return op->emitOpError("expected a sharding for each of ")
             << op->getNumResults() << " results, but got "
             << plan.getShardings().size();
    for (auto [sharding, type] :
         llvm::zip(plan.getShardings(), op->getResultTypes()))
      if (static_cast<int64_t>(sharding.getDims().size()) !=
          cast<RankedTensorType>(type).getRank())
        return op->emitOpError("expected a sharding of as many dimensions as ")
               << type << ", but got " << sharding;
  }
  if (Type precision = plan.getPrecision()) // (C3)
    if (!precision.isF32() && !precision.isBF16() && !precision.isF16() &&
        !(isa<FloatType>(precision) && precision.getIntOrFloatBitWidth() == 8))
      return op->emitOpError("expected precision f32, bf16, f16 or an 8-bit "
                             "float, but got ")
             << precision;
  if (plan.getStage() < 0) // (C5)
    return op->emitOpError("expected a stage of 0 or more, but got ")
           << plan.getStage();
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  bool canRecompute =
      recompute && recompute.getRecomputeKind() != RecomputeKind::Never;
  if (!canRecompute &&
      llvm::is_contained(plan.getStorage(), StorageKind::Recompute)) // (C4)
    return op->emitOpError("cannot be recomputed");
  return success();
}

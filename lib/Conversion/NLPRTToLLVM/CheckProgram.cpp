//===- CheckProgram.cpp - Can a program be emitted? -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the dialect's verifiers leave open: offsets, which an earlier pass
// gives, and what the generator of each kernel relies on.
//
//===----------------------------------------------------------------------===//

#include "LibraryKernels.h"
#include "RoutineCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "nlp/Conversion/KernelWorkspace.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"
#include "llvm/ADT/SmallSet.h"
#include <cmath>

using namespace mlir;
using namespace nlp::rt;

/// Scalar definitions are one arith or math op with one result after another.
static LogicalResult checkBody(Region &body) {
  for (Operation &inner : body.front().without_terminator()) {
    bool known =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        inner.getNumResults() == 1 && inner.getNumRegions() == 0;
    // Values of 16 bits are held in 32.
    if (isa<arith::BitcastOp>(inner))
      known &= inner.getResult(0).getType().getIntOrFloatBitWidth() >= 32;
    if (!known || !inner.getResult(0).getType().isIntOrFloat())
      return inner.emitError("expected a scalar op of arith or math in a "
                             "pointwise kernel, but got '")
             << inner.getName() << "'";
  }
  return success();
}

/// What the buffers of a kernel must be, workspace excepted; one word for each.
/// First letter: f float (f32, bf16, f16), s f32, d f64, i integer, l i64.
/// Second: elements of buffer number `reference` (A), rows (R) or row width (W)
/// of it, blocks of a flat kernel (B), one (1), any number (N).
static std::string getSignature(const KernelRequest &request,
                                unsigned &reference) {
  StringRef kernel = request.kernel;
  bool hasFactor = request.getInt("has_factor"),
       hasDecay = request.getInt("has_decay");
  reference = 0;
  if (kernel == "column_sum")
    return "fA fN";
  if (kernel == "rope")
    return "fA fA";
  if (kernel == "dropout")
    return "fA l1 l1 fA";
  if (kernel == "layer_norm")
    return "fA fW fW fA sR sR";
  if (kernel == "rms_norm")
    return "fA fW fA sR";
  if (kernel == "cross_entropy")
    return "fA iR s1 sR";
  if (kernel == "square_sum")
    return "fA dB";
  if (kernel == "clip_factor") {
    std::string sums;
    for (unsigned read = 1; read < request.reads; ++read)
      sums += " dN";
    return "d1" + sums + " s1 s1";
  }
  if (kernel == "adamw")
    return std::string("fA fA fA fA") + (hasFactor ? " s1" : "") +
           " d1 d1 d1 d1" + (hasDecay ? " d1" : "") + " l1 fA fA fA";
  if (kernel == "sgd")
    return std::string("fA fA fA") + (hasFactor ? " s1" : "") + " d1 d1" +
           (hasDecay ? " d1" : "") + " fA fA";
  reference = 1;
  if (kernel == "layer_norm_grad")
    return "fA fA fW sR sR fA fW fW";
  if (kernel == "rms_norm_grad")
    return "fA fA fW sR fA fW";
  if (kernel == "cross_entropy_grad")
    return "s1 fA iR sR fA";
  return "";
}

static bool hasType(Type type, char letter) {
  switch (letter) {
  case 'f':
    return type.isF32() || type.isBF16() || type.isF16();
  case 's':
    return type.isF32();
  case 'd':
    return type.isF64();
  case 'i':
    return type.isInteger(32) || type.isInteger(64);
  default:
    return type.isInteger(64);
  }
}

static LogicalResult checkBuffers(Operation *op, const KernelRequest &request) {
  for (MemRefType type : request.buffers)
    if (!type.getElementType().isIntOrFloat())
      return op->emitOpError("expected integers or floats, but got ") << type;
  unsigned reference;
  std::string signature = getSignature(request, reference);
  SmallVector<StringRef> words;
  StringRef(signature).split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty())
    return success();
  size_t reads = words.size() - lookupKernel(request.kernel)->writes;
  if (request.reads != reads)
    return op->emitOpError("expected ")
           << reads << " reads, as parameters say, but got " << request.reads;
  for (auto [buffer, word] : llvm::enumerate(words)) {
    if (!hasType(request.storage(buffer), word[0]))
      return op->emitOpError("expected ")
             << (word[0] == 'f'   ? "f32, bf16 or f16"
                 : word[0] == 's' ? "f32"
                 : word[0] == 'd' ? "f64"
                 : word[0] == 'i' ? "i32 or i64"
                                  : "i64")
             << " elements in buffer " << buffer << ", but got "
             << request.storage(buffer);
    int64_t all = request.count(reference), given = request.count(buffer);
    int64_t count = word[1] == 'A'   ? all
                    : word[1] == 'R' ? request.rows(reference)
                    : word[1] == 'W' ? request.width(reference)
                    : word[1] == 'B' ? llvm::divideCeil(all, kBlockElements)
                    : word[1] == '1' ? 1
                                     : given;
    if (given != count)
      return op->emitOpError("expected ") << count << " elements in buffer "
                                          << buffer << ", but got " << given;
  }
  return success();
}

/// A parameter that is a float, finite and within [low, high).
static LogicalResult checkReal(Operation *op, const KernelRequest &request,
                               StringRef name, double low = -HUGE_VAL,
                               double high = HUGE_VAL) {
  auto attr =
      request.params ? request.params.getAs<FloatAttr>(name) : FloatAttr();
  if (!attr)
    return op->emitOpError("expected parameter '")
           << name << "' of kernel '" << request.kernel << "', a float";
  double value = attr.getValueAsDouble();
  if (std::isfinite(value) && value >= low && value < high)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected a finite '");
  error << name << "'";
  if (std::isfinite(high))
    error << " in [" << low << ", " << high << ")";
  else if (std::isfinite(low))
    error << " of " << low << " or more";
  return error << ", but got " << value;
}

/// Parameters that are 0 or 1 where they are given.
static LogicalResult checkFlags(Operation *op, const KernelRequest &request) {
  for (StringRef name : {"has_factor", "has_decay", "inverse"})
    if (int64_t value = request.getInt(name); value != 0 && value != 1)
      return op->emitOpError("expected '")
             << name << "' of 0 or 1, but got " << value;
  return success();
}

static LogicalResult checkFill(Operation *op, const KernelRequest &request) {
  auto type = dyn_cast<IntegerType>(request.storage(0));
  if (!type)
    return checkReal(op, request, "value");
  double limit = std::ldexp(1.0, type.getWidth() - 1);
  return checkReal(op, request, "value", -limit, limit);
}

/// All elements that strides reach from an offset are within the buffer.
static LogicalResult checkReach(Operation *op, const KernelRequest &request,
                                unsigned buffer, StringRef side) {
  SmallVector<int64_t> shape = request.getInts("shape"),
                       strides = request.getInts((side + "_strides").str());
  if (strides.size() != shape.size())
    return op->emitOpError("expected ")
           << shape.size() << " " << side << "_strides, but got "
           << strides.size();
  int64_t low = request.getInt((side + "_offset").str()), high = low;
  bool isLarge = false;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    int64_t step = 0, &end = stride < 0 ? low : high;
    isLarge |= llvm::MulOverflow(size - 1, stride, step) ||
               llvm::AddOverflow(end, step, end);
  }
  if (!isLarge && low >= 0 && high < request.count(buffer))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected ");
  error << side << " elements within the " << request.count(buffer)
        << " of the buffer, but ";
  if (isLarge)
    return error << "strides reach beyond 2^63";
  return error << "strides reach from " << low << " to " << high;
}

static LogicalResult checkCopy(Operation *op, const KernelRequest &request) {
  if (!request.params || !request.params.get("shape"))
    return op->emitOpError("expected parameter 'shape' of kernel 'copy'");
  int64_t count = 1, limit = request.count(1);
  SmallVector<int64_t> shape = request.getInts("shape");
  for (int64_t size : shape)
    if (size < 1 || llvm::MulOverflow(count, size, count) || count > limit)
      return op->emitOpError("expected a shape of sizes of 1 or more and at "
                             "most the ")
             << limit << " elements of the result, but got ["
             << ArrayRef<int64_t>(shape) << "]";
  if (request.storage(0) != request.storage(1))
    return op->emitOpError("expected equal element types, but got ")
           << request.storage(0) << " and " << request.storage(1);
  return failure(failed(checkReach(op, request, 0, "in")) ||
                 failed(checkReach(op, request, 1, "out")));
}

static LogicalResult checkRope(Operation *op, const KernelRequest &request) {
  ArrayRef<int64_t> shape = request.buffers[0].getShape();
  if (shape.size() != 4 || shape[3] % 2 != 0)
    return op->emitOpError("expected rank 4 and an even last dimension, but "
                           "got ")
           << request.buffers[0];
  SmallVector<double> frequencies = request.getReals("frequencies");
  if (static_cast<int64_t>(frequencies.size()) != shape[3] / 2)
    return op->emitOpError("expected ")
           << shape[3] / 2 << " frequencies, but got " << frequencies.size();
  for (double frequency : frequencies)
    if (!std::isfinite(frequency))
      return op->emitOpError("expected finite frequencies, but got ")
             << frequency;
  return success();
}

static LogicalResult checkDropout(Operation *op, const KernelRequest &request) {
  if (request.buffers[0].getRank() == 0)
    return op->emitOpError("expected rank 1 or more, but got ")
           << request.buffers[0];
  Attribute site = request.params ? request.params.get("site") : Attribute();
  if (!isa_and_nonnull<IntegerAttr, StringAttr>(site))
    return op->emitOpError("expected parameter 'site' of kernel 'dropout', an "
                           "integer or a name");
  return checkReal(op, request, "rate", 0.0, 1.0);
}

/// Targets are below the program's vocabulary; so must logits be many.
static LogicalResult checkLoss(Operation *op, const KernelRequest &request,
                               unsigned logits) {
  auto program = op->getParentOfType<ProgramOp>();
  if (int64_t vocabulary = program ? program.getVocabSize() : 0;
      request.width(logits) < vocabulary)
    return op->emitOpError("expected rows of ")
           << vocabulary
           << " logits or more, the program's vocab_size, but got "
           << request.width(logits);
  if (failed(checkReal(op, request, "normalizer")))
    return failure();
  if (!(request.getReal("normalizer") > 0.0))
    return op->emitOpError("expected a positive 'normalizer', but got ")
           << request.getReal("normalizer");
  return success();
}

LogicalResult nlp::rt::checkRequest(Operation *op,
                                    const KernelRequest &request) {
  StringRef kernel = request.kernel;
  if (failed(checkFlags(op, request)) || failed(checkBuffers(op, request)))
    return failure();
  if (kernel == "pointwise")
    return checkBody(*request.body);
  if (kernel == "fill")
    return checkFill(op, request);
  if (kernel == "copy")
    return checkCopy(op, request);
  if (kernel == "column_sum" && request.count(0) % request.count(1) != 0)
    return op->emitOpError("expected rows of ")
           << request.count(1) << " elements, but got " << request.count(0)
           << " elements in all";
  if (kernel == "rope")
    return checkRope(op, request);
  if (kernel == "dropout")
    return checkDropout(op, request);
  if (kernel == "layer_norm" || kernel == "rms_norm")
    return checkReal(op, request, "epsilon", 0.0);
  if (kernel == "cross_entropy" || kernel == "cross_entropy_grad")
    return checkLoss(op, request, kernel == "cross_entropy" ? 0 : 1);
  return success();
}

/// The last write is a workspace that suffices, where one is needed.
static LogicalResult checkWorkspace(LaunchOp launch, int64_t threads) {
  FailureOr<int64_t> needed = getKernelWorkspaceBytes(launch, threads);
  if (failed(needed))
    return failure();
  unsigned writes = lookupKernel(launch.getKernel())->writes;
  int64_t given = 0;
  if (launch.getOuts().size() > writes)
    given = getBufferBytes(cast<MemRefType>(launch.getOuts().back().getType()));
  if (given < *needed)
    return launch.emitOpError("expected a workspace of ")
           << *needed << " bytes, but got " << given
           << " (-nlprt-add-workspaces adds it)";
  return success();
}

/// Micro-batches of the runs make up the global batch.
static LogicalResult checkRuns(ProgramOp program) {
  llvm::SmallSet<int64_t, 16> microBatches;
  for (auto run : program.getRuns().getAsRange<RunAttr>())
    microBatches.insert(run.getMicroBatch());
  int64_t count = microBatches.size(), size = program.getMicroBatch();
  if (count == 0 || size * count == program.getGlobalBatch())
    return success();
  return program.emitOpError("expected global_batch = ")
         << size * count << ", " << count << " micro-batches of " << size
         << " as the runs say, but got " << program.getGlobalBatch();
}

LogicalResult nlp::rt::checkProgram(ProgramOp program) {
  if (!program.getArenaBytes())
    return program.emitOpError("expected arena_bytes: -nlprt-plan-memory must "
                               "run first");
  if (failed(checkRuns(program)))
    return failure();
  auto result = program.walk([&](Operation *op) {
    LogicalResult checked = checkBuffer(op, program);
    if (failed(checked))
      return WalkResult::interrupt();
    if (auto launch = dyn_cast<LaunchOp>(op))
      checked = checkWorkspace(launch, program.getThreads());
    else if (isa<PointwiseOp>(op))
      checked = checkRequest(op, makeRequest(op));
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

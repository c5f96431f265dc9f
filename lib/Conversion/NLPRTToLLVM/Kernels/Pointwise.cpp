//===- Pointwise.cpp - Kernels from scalar definitions ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar definition is cloned on vectors: arith and math ops are defined on
// both. Buffers without repeated reads are one flat run of elements. A read
// with fewer elements than the writes is repeated; then the elements are cut
// into segments, as long as the greatest common divisor of such reads, in which
// every buffer is contiguous. A read of one element is a scalar.
//
// Reads may share their bytes with writes: each vector is read before it is
// written, by the same item.
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace nlp::rt;

/// The element type that values of `type` are computed in.
static Type getComputeElement(Type type) {
  return type.isBF16() || type.isF16()
             ? Type(Float32Type::get(type.getContext()))
             : type;
}

/// True where rounding to 16 bits is left to the store.
static bool onlyStored(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// One op of the scalar definition on vectors.
static Value cloneOnVectors(KernelBuilder &kernel, Operation &op,
                            ArrayRef<Val> operands) {
  auto result = [&](Val value) { return value.value; };
  Type resultElement = op.getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Type type = kernel.vectorOf(getComputeElement(resultElement));
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return result(kernel.constant(type, number.getValueAsDouble()));
    return result(kernel.constant(
        type,
        cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue()));
  }
  bool single =
      resultElement.isF32() || resultElement.isBF16() || resultElement.isF16();
  if (single) {
    if (isa<math::ExpOp>(op))
      return result(kernel.exp(operands[0]));
    if (isa<math::LogOp>(op))
      return result(kernel.log(operands[0]));
    if (isa<math::TanhOp>(op))
      return result(kernel.tanh(operands[0]));
    if (isa<math::ErfOp>(op))
      return result(kernel.erf(operands[0]));
    if (isa<math::RsqrtOp>(op))
      return result(1.0 / kernel.sqrt(operands[0]));
    if (isa<math::SinOp>(op))
      return result(
          kernel.sinCos(kernel.convert(operands[0], kernel.f64())).first);
    if (isa<math::CosOp>(op))
      return result(
          kernel.sinCos(kernel.convert(operands[0], kernel.f64())).second);
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Val value = operands[0];
    if (getComputeElement(resultElement) != resultElement && !onlyStored(&op))
      value = kernel.convert(value, resultElement);
    return result(kernel.convert(value, getComputeElement(resultElement)));
  }
  SmallVector<Value> values;
  for (Val operand : operands)
    values.push_back(operand.value);
  OperationState state(op.getLoc(), op.getName(), values,
                       kernel.vectorOf(getComputeElement(resultElement)),
                       op.getAttrs());
  return kernel.ops().create(state)->getResult(0);
}

/// Writes element(s) `at` of the outputs from those of the inputs.
static void emitElements(KernelBuilder &kernel, const KernelRequest &request,
                         At at, ArrayRef<Buffer> buffers,
                         ArrayRef<Val> scalars) {
  Block &body = request.body->front();
  llvm::DenseMap<Value, Val> values;
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    values[argument] =
        scalars[number] ? scalars[number] : kernel.load(buffers[number], at);
  for (Operation &op : body.without_terminator()) {
    SmallVector<Val> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values[operand]);
    values[op.getResult(0)] = kernel.wrap(cloneOnVectors(kernel, op, operands));
  }
  for (auto [number, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    kernel.store(buffers[request.reads + number], at, values[yielded]);
}

/// The longest segment in which every read is contiguous.
static int64_t getSegment(const KernelRequest &request) {
  int64_t segment = request.count(request.reads);
  for (unsigned read : llvm::seq(request.reads))
    if (request.count(read) != 1)
      segment = std::gcd(segment, request.count(read));
  return segment;
}

void nlp::rt::generatePointwise(const KernelRequest &request, StageSink &sink) {
  int64_t count = request.count(request.reads), segment = getSegment(request);
  // Long segments are cut into chunks, short ones are put together.
  int64_t chunks = llvm::divideCeil(segment, kBlockElements);
  int64_t segments = count / segment, perItem = getRowsPerItem(segment);
  int64_t items = segment == count ? chunks
                  : chunks > 1     ? segments * chunks
                                   : llvm::divideCeil(segments, perItem);
  sink.stage(items, [&](KernelBuilder &kernel) {
    SmallVector<Buffer> buffers;
    SmallVector<Val> scalars(request.reads);
    for (unsigned number : llvm::seq<unsigned>(request.buffers.size())) {
      buffers.push_back(kernel.buffer(number));
      if (number < request.reads && request.count(number) == 1)
        scalars[number] = kernel.splat(kernel.loadScalar(buffers.back()));
    }
    if (segment == count)
      return kernel.forFlat(count, kBlockElements, [&](At at) {
        emitElements(kernel, request, at, buffers, scalars);
      });
    auto emitSegment = [&](Val first, int64_t length) {
      SmallVector<Buffer> moved;
      for (auto [number, buffer] : llvm::enumerate(buffers)) {
        int64_t size = request.count(number);
        moved.push_back(size == 1       ? buffer
                        : size == count ? buffer.from(first)
                                        : buffer.from(first % size));
      }
      kernel.forVectors(length, [&](At at) {
        emitElements(kernel, request, at, moved, scalars);
      });
    };
    if (chunks == 1)
      return kernel.forRows(segments, perItem, [&](Val row) {
        emitSegment(row * segment, segment);
      });
    kernel.forItems([&](Val item) {
      Val chunk = item % chunks;
      Val first = item / chunks * segment + chunk * kBlockElements;
      int64_t rest = segment - (chunks - 1) * kBlockElements;
      if (rest == kBlockElements)
        return emitSegment(first, kBlockElements);
      kernel.ifElse(
          chunk == chunks - 1, [&] { emitSegment(first, rest); },
          [&] { emitSegment(first, kBlockElements); });
    });
  });
}

/// Both kernels of an accumulation have the same items.
static void generateFlat(const KernelRequest &request, StageSink &sink,
                         bool adds) {
  int64_t count = request.count(0);
  sink.stage(
      llvm::divideCeil(count, kBlockElements), [&](KernelBuilder &kernel) {
        Buffer in = kernel.buffer(0), out = kernel.buffer(1);
        kernel.forFlat(count, kBlockElements, [&](At at) {
          Val value = kernel.load(in, at);
          kernel.store(out, at, adds ? kernel.load(out, at) + value : value);
        });
      });
}

void nlp::rt::generateAddTo(const KernelRequest &request, StageSink &sink) {
  generateFlat(request, sink, /*adds=*/true);
}

void nlp::rt::generateCopyFlat(const KernelRequest &request, StageSink &sink) {
  generateFlat(request, sink, /*adds=*/false);
}

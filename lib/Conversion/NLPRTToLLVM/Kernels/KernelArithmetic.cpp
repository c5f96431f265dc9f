//===- KernelArithmetic.cpp - Operators of kernel values --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operator is one arith or math op. No fast-math flags: kernels compute
// what they say, whether they are fused or not.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nlp::rt;

static bool isFloat(Val a) {
  return isa<FloatType>(getElementTypeOrSelf(a.type()));
}

/// Brings a scalar and a vector to the vector's shape.
static void unify(Val &a, Val &b) {
  if (isa<VectorType>(a.type()) && !isa<VectorType>(b.type()))
    b = b.kernel->splat(b);
  else if (isa<VectorType>(b.type()) && !isa<VectorType>(a.type()))
    a = a.kernel->splat(a);
  assert(a.type() == b.type() && "operands of different types");
}

template <typename Op> static Val make(Val a) {
  return a.kernel->wrap(Op::create(a.kernel->ops(), a.value));
}

template <typename Op> static Val make(Val a, Val b) {
  unify(a, b);
  return a.kernel->wrap(Op::create(a.kernel->ops(), a.value, b.value));
}

template <typename FloatOp, typename IntegerOp> static Val make(Val a, Val b) {
  return isFloat(a) ? make<FloatOp>(a, b) : make<IntegerOp>(a, b);
}

template <typename Op, typename Predicate>
static Val compare(Predicate predicate, Val a, Val b) {
  unify(a, b);
  return a.kernel->wrap(
      Op::create(a.kernel->ops(), predicate, a.value, b.value));
}

static Val compare(arith::CmpFPredicate floats, arith::CmpIPredicate integers,
                   Val a, Val b) {
  return isFloat(a) ? compare<arith::CmpFOp>(floats, a, b)
                    : compare<arith::CmpIOp>(integers, a, b);
}

namespace nlp::rt {

Val operator+(Val a, Val b) { return make<arith::AddFOp, arith::AddIOp>(a, b); }
Val operator-(Val a, Val b) { return make<arith::SubFOp, arith::SubIOp>(a, b); }
Val operator*(Val a, Val b) { return make<arith::MulFOp, arith::MulIOp>(a, b); }
Val operator/(Val a, Val b) {
  return make<arith::DivFOp, arith::DivUIOp>(a, b);
}
Val operator%(Val a, Val b) { return make<arith::RemUIOp>(a, b); }
Val operator&(Val a, Val b) { return make<arith::AndIOp>(a, b); }
Val operator|(Val a, Val b) { return make<arith::OrIOp>(a, b); }
Val operator^(Val a, Val b) { return make<arith::XOrIOp>(a, b); }
Val operator<<(Val a, int64_t bits) {
  return make<arith::ShLIOp>(a, constantLike(bits, a));
}
Val operator>>(Val a, int64_t bits) {
  return make<arith::ShRUIOp>(a, constantLike(bits, a));
}
Val operator<(Val a, Val b) {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, a, b);
}
Val operator>(Val a, Val b) {
  return compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, a, b);
}
Val operator==(Val a, Val b) {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, a, b);
}
Val operator-(Val a) { return make<arith::NegFOp>(a); }
Val below(Val a, Val b) {
  return compare<arith::CmpIOp>(arith::CmpIPredicate::ult, a, b);
}

Val KernelBuilder::fma(Val a, Val b, Val c) {
  unify(a, b);
  unify(a, c);
  unify(b, c);
  return wrap(math::FmaOp::create(ops(), a.value, b.value, c.value));
}

Val KernelBuilder::sqrt(Val a) { return make<math::SqrtOp>(a); }
Val KernelBuilder::abs(Val a) { return make<math::AbsFOp>(a); }

// One machine instruction each, unlike arith's maximumf and maxnumf.
Val KernelBuilder::max(Val a, Val b) { return select(a > b, a, b); }
Val KernelBuilder::min(Val a, Val b) { return select(a < b, a, b); }

Val KernelBuilder::select(Val condition, Val a, Val b) {
  unify(a, b);
  if (isa<VectorType>(condition.type()) && !isa<VectorType>(a.type())) {
    a = splat(a);
    b = splat(b);
  }
  return wrap(
      arith::SelectOp::create(ops(), condition.value, a.value, b.value));
}

/// `element`, or a vector of it where `like` is a vector.
static Type typeLike(Val like, Type element) {
  auto vector = dyn_cast<VectorType>(like.type());
  return vector ? VectorType::get(vector.getShape(), element) : element;
}

Val KernelBuilder::bitcast(Val a, Type element) {
  return wrap(arith::BitcastOp::create(ops(), typeLike(a, element), a.value));
}

/// Rounds f32 to bf16, ties to even. In integers, since the machine's own
/// instruction takes subnormal numbers for zero, and not every machine has it.
static Val roundToBF16(KernelBuilder &kernel, Val a) {
  Val bits = kernel.bitcast(a, kernel.i32());
  Val rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  Val isNumber = compare<arith::CmpFOp>(arith::CmpFPredicate::ORD, a, a);
  Val kept = kernel.select(isNumber, rounded, (bits >> 16) | 0x40);
  Type half = kernel.ops().getIntegerType(16);
  return kernel.bitcast(kernel.convert(kept, half), kernel.ops().getBF16Type());
}

Val KernelBuilder::convert(Val a, Type element) {
  Type from = getElementTypeOrSelf(a.type()), to = typeLike(a, element);
  if (from == element)
    return a;
  if (element.isBF16())
    return roundToBF16(*this, convert(a, f32()));
  bool wider = element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(from))
    return wrap(wider ? Value(arith::ExtFOp::create(ops(), to, a.value))
                      : Value(arith::TruncFOp::create(ops(), to, a.value)));
  return wrap(wider ? Value(arith::ExtUIOp::create(ops(), to, a.value))
                    : Value(arith::TruncIOp::create(ops(), to, a.value)));
}

Val KernelBuilder::toFloat(Val integer, Type element) {
  return wrap(arith::SIToFPOp::create(ops(), typeLike(integer, element),
                                      integer.value));
}

Val KernelBuilder::match(Val value, Val like) {
  value = convert(value, getElementTypeOrSelf(like.type()));
  return isa<VectorType>(like.type()) && !isa<VectorType>(value.type())
             ? splat(value)
             : value;
}

Val KernelBuilder::shuffle(Val a, Val b, ArrayRef<int32_t> mask) {
  return wrap(LLVM::ShuffleVectorOp::create(ops(), a.value, b.value, mask));
}

Val KernelBuilder::splat(Val scalar) {
  Value poison = LLVM::PoisonOp::create(ops(), vectorOf(scalar.type()));
  Value first = LLVM::InsertElementOp::create(
      ops(), poison, scalar.value, constant(i64(), int64_t(0)).value);
  SmallVector<int32_t> zeros(kLanes, 0);
  return wrap(LLVM::ShuffleVectorOp::create(ops(), first, poison, zeros));
}

Val KernelBuilder::extract(Val vector, int64_t lane) {
  return wrap(
      LLVM::ExtractElementOp::create(ops(), vector.value, index(lane).value));
}

/// Folds halves of the vector onto each other until one lane is left.
Val KernelBuilder::horizontal(Val vector,
                              llvm::function_ref<Val(Val, Val)> combine) {
  for (int32_t width = kLanes / 2; width >= 1; width /= 2) {
    auto low = llvm::to_vector(llvm::seq<int32_t>(0, width));
    auto high = llvm::to_vector(llvm::seq<int32_t>(width, 2 * width));
    vector =
        combine(shuffle(vector, vector, low), shuffle(vector, vector, high));
  }
  return extract(vector, 0);
}

Val KernelBuilder::horizontalSum(Val vector) {
  return horizontal(vector, [](Val a, Val b) { return a + b; });
}

Val KernelBuilder::horizontalMax(Val vector) {
  return horizontal(vector, [&](Val a, Val b) { return max(a, b); });
}

} // namespace nlp::rt

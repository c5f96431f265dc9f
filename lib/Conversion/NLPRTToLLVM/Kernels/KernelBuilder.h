//===- KernelBuilder.h - Write kernels as arithmetic ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the generators of the kernel catalogue are written with. A kernel is a
// function of the C ABI, `void kernel(i64 begin, i64 end, ptr buffers)`, whose
// body is scf, arith and math on explicit vectors of 16 lanes. Vectors are
// never narrower on a machine with narrower registers, and sums are formed in
// the order that is written here, so results do not depend on the machine's
// vector width nor on the number of threads.
//
// Elements of 16-bit floats are extended to f32 when loaded and rounded when
// stored; nothing is computed in 16 bits.
//
//   kernel.forRows(rows, perItem, [&](Val row) {
//     Buffer x = kernel.buffer(0).from(row * width);
//     Val mean = kernel.sum(width, [&](At at) { return kernel.load(x, at); })
//                / width;
//     kernel.forVectors(width, [&](At at) {
//       kernel.store(y, at, kernel.load(x, at) - mean);
//     });
//   });
//
// Scalars meet vectors by broadcasting; C++ numbers become constants of the
// other operand's type.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_KERNELBUILDER_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_KERNELBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include <type_traits>

namespace nlp::rt {

class KernelBuilder;

/// Lanes of every vector.
inline constexpr int64_t kLanes = 16;
/// Elements that a work item of a flat kernel covers.
inline constexpr int64_t kBlockElements = 16384;

/// A scalar or a vector, and the builder that extends it.
struct Val {
  KernelBuilder *kernel = nullptr;
  mlir::Value value;

  explicit operator bool() const { return static_cast<bool>(value); }
  mlir::Type type() const { return value.getType(); }
};
using Vals = llvm::SmallVector<Val, 4>;

/// A place in a buffer: element number 0 of what the code at hand works on.
struct Buffer {
  Val pointer;
  mlir::Type storage;

  /// The same buffer from element `element` on.
  Buffer from(Val element) const;
};

/// The elements that a vector covers: `index` and the 15 after it, of which
/// only those that `mask` admits (all where it is absent).
struct At {
  Val index;
  Val mask;
};

class KernelBuilder {
public:
  /// Begins function `name` at the end of `module`, for buffers of these
  /// element types.
  KernelBuilder(mlir::ModuleOp module, llvm::StringRef name,
                llvm::ArrayRef<mlir::Type> storageTypes);
  /// Ends the function.
  void finish();

  Val begin() const { return beginItem; }
  Val end() const { return endItem; }
  Buffer buffer(unsigned number) const { return buffers[number]; }
  /// Buffer number `number`, which is computed; only for kernels of variadic
  /// buffers.
  Buffer dynamicBuffer(Val number, mlir::Type storage);
  /// A constant table in the module's memory.
  Buffer table(llvm::ArrayRef<int64_t> values);
  Buffer table(llvm::ArrayRef<double> values);

  // Types and constants.
  mlir::ImplicitLocOpBuilder &ops() { return b; }
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type f64() { return b.getF64Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type vectorOf(mlir::Type element);
  /// A constant of a scalar or vector type.
  Val constant(mlir::Type type, double value);
  Val constant(mlir::Type type, int64_t value);
  Val index(int64_t value) { return constant(i64(), value); }
  /// 0, 1, 2, ... in lanes of integer type `element`.
  Val lanes(mlir::Type element);
  Val wrap(mlir::Value value) { return {this, value}; }

  // Memory.
  Val load(Buffer buffer, At at);
  void store(Buffer buffer, At at, Val value);
  Val loadScalar(Buffer buffer, Val index);
  Val loadScalar(Buffer buffer) { return loadScalar(buffer, index(0)); }
  void storeScalar(Buffer buffer, Val index, Val value);
  /// Elements index, index + stride, ... of the lanes that `at` admits.
  Val gather(Buffer buffer, Val index, int64_t stride, At at);
  /// Fetches what `at` covers, `ahead` elements further on, into the second
  /// cache level, or the first where it is to be written. May point beyond the
  /// buffer.
  void prefetch(Buffer buffer, At at, int64_t ahead, bool toWrite = false);
  /// `value` where `at` covers an element, else `neutral`.
  Val keep(At at, Val value, double neutral = 0.0);

  // Control.
  void forRange(Val low, Val high, int64_t step,
                llvm::function_ref<void(Val)> body);
  Vals forRange(Val low, Val high, int64_t step, Vals init,
                llvm::function_ref<Vals(Val, Vals)> body);
  void ifThen(Val condition, llvm::function_ref<void()> body);
  void ifElse(Val condition, llvm::function_ref<void()> body,
              llvm::function_ref<void()> otherwise);
  /// All items of the call, one by one.
  void forItems(llvm::function_ref<void(Val item)> body);
  /// All rows of the call's items, of which each but the last has `perItem`.
  void forRows(int64_t rows, int64_t perItem,
               llvm::function_ref<void(Val row)> body);
  /// All vectors of the call's items, for buffers of `count` elements in items
  /// of `perItem` elements, a multiple of 16.
  void forFlat(int64_t count, int64_t perItem,
               llvm::function_ref<void(At)> body);
  /// Vectors over elements [0, count), `unroll` of them in each iteration.
  void forVectors(int64_t count, llvm::function_ref<void(At)> body,
                  unsigned unroll = 1);
  /// The vectors over elements [first, first + count), one by one.
  llvm::SmallVector<At> getVectors(Val first, int64_t count);
  /// Folds vectors over elements [0, count) into values that start as `init`:
  /// `body` updates the values it is given. `unroll` independent copies of them
  /// are kept and folded by `combine`, which is told the value's number, at the
  /// end.
  Vals foldVectors(int64_t count, Vals init,
                   llvm::function_ref<Vals(At, Vals)> body,
                   llvm::function_ref<Val(unsigned, Val, Val)> combine,
                   unsigned unroll = 4);
  /// The sum of `term` over elements [0, count): lanes beyond the end count as
  /// zero.
  Val sum(int64_t count, llvm::function_ref<Val(At)> term);
  /// Several sums at once.
  Vals sums(int64_t count, unsigned number, llvm::function_ref<Vals(At)> terms,
            mlir::Type element, unsigned unroll = 4);
  /// The largest `term` over elements [0, count).
  Val maximum(int64_t count, llvm::function_ref<Val(At)> term);

  // Arithmetic beyond the operators.
  Val splat(Val scalar);
  Val fma(Val a, Val b, Val c);
  Val sqrt(Val a);
  Val abs(Val a);
  Val max(Val a, Val b); ///< `b` where either is NaN.
  Val min(Val a, Val b); ///< `b` where either is NaN.
  Val select(Val condition, Val a, Val b);
  Val bitcast(Val a, mlir::Type element);
  /// Between float widths, or between integer widths (unsigned).
  Val convert(Val a, mlir::Type element);
  Val toFloat(Val integer, mlir::Type element);
  Val shuffle(Val a, Val b, llvm::ArrayRef<int32_t> mask);
  Val extract(Val vector, int64_t lane);
  /// Sums or maxima of the lanes, pairwise: halves, quarters, ...
  Val horizontalSum(Val vector);
  Val horizontalMax(Val vector);

  // Functions (VectorMath.cpp), for f32 scalars and vectors.
  Val exp(Val x);
  /// exp of numbers that are not above 0, within 5e-7, in two thirds of the
  /// time; at least 1e-38.
  Val expBelow(Val x);
  Val log(Val x);
  Val tanh(Val x);
  Val erf(Val x);
  /// Sine and cosine of f64 angles, in f32.
  std::pair<Val, Val> sinCos(Val angle);

  /// `value` in the shape and element type of `like`.
  Val match(Val value, Val like);

private:
  Val polynomial(Val x, llvm::ArrayRef<double> coefficients);
  Val horizontal(Val vector, llvm::function_ref<Val(Val, Val)> combine);
  Val address(Buffer buffer, Val index);
  Val tailMask(int64_t count);
  Buffer makeTable(mlir::DenseElementsAttr values, mlir::Type element);

  mlir::ImplicitLocOpBuilder b;
  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp function;
  Val beginItem, endItem, bufferArray;
  llvm::SmallVector<Buffer> buffers;
  /// Constants stand at the head of the function, one of each.
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  unsigned tables = 0;
};

Val operator+(Val a, Val b);
Val operator-(Val a, Val b);
Val operator*(Val a, Val b);
Val operator/(Val a, Val b); ///< Unsigned for integers.
Val operator%(Val a, Val b); ///< Unsigned integers only.
Val operator&(Val a, Val b);
Val operator|(Val a, Val b);
Val operator^(Val a, Val b);
Val operator<<(Val a, int64_t bits);
Val operator>>(Val a, int64_t bits); ///< Logical.
Val operator<(Val a, Val b);         ///< Ordered; signed for integers.
Val operator>(Val a, Val b);
Val operator==(Val a, Val b);
Val operator-(Val a);
/// Unsigned comparison.
Val below(Val a, Val b);

/// The constant `number` in the type of `like`.
template <typename T>
  requires std::is_arithmetic_v<T>
Val constantLike(T number, Val like) {
  if (llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(like.type())))
    return like.kernel->constant(like.type(), static_cast<double>(number));
  return like.kernel->constant(like.type(), static_cast<int64_t>(number));
}

#define NLP_KERNEL_OPERATOR(op)                                                \
  template <typename T>                                                        \
    requires std::is_arithmetic_v<T>                                           \
  Val operator op(Val a, T number) {                                           \
    return a op constantLike(number, a);                                       \
  }                                                                            \
  template <typename T>                                                        \
    requires std::is_arithmetic_v<T>                                           \
  Val operator op(T number, Val a) {                                           \
    return constantLike(number, a) op a;                                       \
  }
NLP_KERNEL_OPERATOR(+)
NLP_KERNEL_OPERATOR(-)
NLP_KERNEL_OPERATOR(*)
NLP_KERNEL_OPERATOR(/)
NLP_KERNEL_OPERATOR(%)
NLP_KERNEL_OPERATOR(&)
NLP_KERNEL_OPERATOR(|)
NLP_KERNEL_OPERATOR(^)
NLP_KERNEL_OPERATOR(<)
NLP_KERNEL_OPERATOR(>)
NLP_KERNEL_OPERATOR(==)
#undef NLP_KERNEL_OPERATOR

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_KERNELBUILDER_H

//===- CheckLibraryCall.cpp - Parameters of the C ABI against buffers -----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library kernel trusts the sizes in its parameter struct: what it reads and
// writes through them must be what the buffers hold. Products are checked; what
// only the kernel knows (masks, head sizes) its workspace query answers for.
//
//===----------------------------------------------------------------------===//

#include "LibraryKernels.h"
#include "ProgramTables.h"

using namespace mlir;
using namespace nlp::rt;

namespace {
/// The checks of one launch; each says in the launch's name what is wrong.
class CallCheck {
public:
  CallCheck(LaunchOp launch, const LibraryKernel &kernel,
            ArrayRef<int64_t> words)
      : launch(launch), kernel(kernel), words(words) {}

  LogicalResult run();

private:
  int64_t get(StringRef name) const {
    for (auto [field, word] : llvm::zip_equal(kernel.fields, words))
      if (field.name == name)
        return word;
    llvm_unreachable("expected a field of the kernel");
  }

  LogicalResult checkSizes(ArrayRef<StringRef> names);
  LogicalResult checkFlags(ArrayRef<StringRef> names);
  LogicalResult checkReads(ArrayRef<unsigned> counts);
  LogicalResult checkBuffer(Value buffer, StringRef role,
                            llvm::function_ref<bool(Type)> isElement,
                            StringRef element, ArrayRef<StringRef> factors);
  LogicalResult checkMatmul();
  LogicalResult checkEmbedding(bool isGrad);
  LogicalResult checkAttention(bool isGrad);

  /// A buffer of the type that `dtype` names.
  LogicalResult checkData(Value buffer, StringRef role,
                          ArrayRef<StringRef> factors) {
    auto isData = [&](Type type) { return getDtype(type) == get("dtype"); };
    return checkBuffer(buffer, role, isData, "dtype's", factors);
  }

  LaunchOp launch;
  const LibraryKernel &kernel;
  ArrayRef<int64_t> words;
};
} // namespace

LogicalResult CallCheck::checkSizes(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (get(name) < 1)
      return launch.emitOpError("expected '")
             << name << "' of 1 or more, but got " << get(name);
  return success();
}

LogicalResult CallCheck::checkFlags(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (get(name) != 0 && get(name) != 1)
      return launch.emitOpError("expected '")
             << name << "' of 0 or 1, but got " << get(name);
  return success();
}

/// The number of reads is one of `counts`, as parameters say.
LogicalResult CallCheck::checkReads(ArrayRef<unsigned> counts) {
  unsigned reads = launch.getIns().size();
  if (llvm::is_contained(counts, reads))
    return success();
  InFlightDiagnostic error = launch.emitOpError("expected ");
  llvm::interleave(
      counts, [&](unsigned count) { error << count; },
      [&] { error << " or "; });
  return error << " reads, as parameters say, but got " << reads;
}

/// `buffer` has as many elements as the product of the parameters `factors`.
LogicalResult CallCheck::checkBuffer(Value buffer, StringRef role,
                                     llvm::function_ref<bool(Type)> isElement,
                                     StringRef element,
                                     ArrayRef<StringRef> factors) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isElement(type.getElementType()))
    return launch.emitOpError("expected ")
           << element << " elements in " << role << ", but got " << type;
  int64_t count = 1;
  bool isLarge = false;
  std::string product;
  for (StringRef factor : factors) {
    isLarge |= llvm::MulOverflow(count, get(factor), count);
    product += (product.empty() ? "" : " * ") + factor.str();
  }
  if (!isLarge && count == type.getNumElements())
    return success();
  InFlightDiagnostic error = launch.emitOpError("expected ");
  error << product << " = ";
  if (isLarge)
    error << "more than 2^63";
  else
    error << count;
  return error << " elements in " << role << ", but got " << type;
}

LogicalResult CallCheck::checkMatmul() {
  if (failed(checkSizes({"batch", "m", "n", "k"})) ||
      failed(checkFlags({"trans_a", "trans_b", "has_bias", "accumulate"})))
    return failure();
  bool hasBias = get("has_bias");
  if (hasBias && (get("accumulate") || overwritesFirst(launch)))
    return launch.emitOpError("expected no bias where 'accumulate' is set, but "
                              "got both");
  if (failed(checkReads({hasBias ? 3u : 2u})) ||
      failed(checkData(launch.getIns()[0], "a", {"batch", "m", "k"})) ||
      failed(checkData(launch.getIns()[1], "b", {"batch", "k", "n"})) ||
      failed(checkData(launch.getOuts()[0], "out", {"batch", "m", "n"})))
    return failure();
  return hasBias ? checkData(launch.getIns()[2], "bias", {"n"}) : success();
}

LogicalResult CallCheck::checkEmbedding(bool isGrad) {
  auto isId = [](Type type) { return type.isInteger(32); };
  if (failed(checkSizes({"rows", "width", "count"})) ||
      failed(checkBuffer(launch.getIns()[1], "ids", isId, "i32", {"count"})))
    return failure();
  const StringRef table[] = {"rows", "width"}, picked[] = {"count", "width"};
  if (isGrad)
    return failure(failed(checkData(launch.getIns()[0], "grad", picked)) ||
                   failed(checkData(launch.getOuts()[0], "out", table)));
  return failure(failed(checkData(launch.getIns()[0], "table", table)) ||
                 failed(checkData(launch.getOuts()[0], "out", picked)));
}

LogicalResult CallCheck::checkAttention(bool isGrad) {
  if (failed(
          checkSizes({"batch", "queries", "keys", "heads", "kv_heads", "dim"})))
    return failure();
  double dropout = llvm::bit_cast<double>(get("dropout"));
  if (!(dropout >= 0.0 && dropout < 1.0))
    return launch.emitOpError("expected 'dropout' in [0, 1), but got ")
           << dropout;
  unsigned tensors = isGrad ? 6 : 3;
  SmallVector<unsigned> counts = {tensors + 2};
  if (dropout == 0.0)
    counts.insert(counts.begin(), tensors);
  if (failed(checkReads(counts)))
    return failure();
  const StringRef query[] = {"batch", "queries", "heads", "dim"},
                  key[] = {"batch", "keys", "kv_heads", "dim"},
                  lse[] = {"batch", "heads", "queries"};
  auto isF32 = [](Type type) { return type.isF32(); };
  auto isI64 = [](Type type) { return type.isInteger(64); };
  OperandRange ins = launch.getIns(), outs = launch.getOuts();
  for (Value scalar : ins.drop_front(tensors))
    if (failed(
            checkBuffer(scalar, "seed and first_sequence", isI64, "i64", {})))
      return failure();
  if (!isGrad)
    return failure(failed(checkData(ins[0], "query", query)) ||
                   failed(checkData(ins[1], "key", key)) ||
                   failed(checkData(ins[2], "value", key)) ||
                   failed(checkData(outs[0], "out", query)) ||
                   failed(checkBuffer(outs[1], "lse", isF32, "f32", lse)));
  return failure(failed(checkData(ins[0], "out_grad", query)) ||
                 failed(checkData(ins[1], "query", query)) ||
                 failed(checkData(ins[2], "key", key)) ||
                 failed(checkData(ins[3], "value", key)) ||
                 failed(checkData(ins[4], "out", query)) ||
                 failed(checkBuffer(ins[5], "lse", isF32, "f32", lse)) ||
                 failed(checkData(outs[0], "query_grad", query)) ||
                 failed(checkData(outs[1], "key_grad", key)) ||
                 failed(checkData(outs[2], "value_grad", key)));
}

LogicalResult CallCheck::run() {
  if (kernel.name == "matmul")
    return checkMatmul();
  if (kernel.name == "embedding" || kernel.name == "embedding_grad")
    return checkEmbedding(kernel.name == "embedding_grad");
  if (kernel.name == "attention" || kernel.name == "attention_grad")
    return checkAttention(kernel.name == "attention_grad");
  return launch.emitOpError("expected a kernel whose parameters are checked, "
                            "but got \"")
         << kernel.name << "\"";
}

LogicalResult nlp::rt::checkLibraryCall(LaunchOp launch,
                                        const LibraryKernel &kernel,
                                        ArrayRef<int64_t> words) {
  return CallCheck(launch, kernel, words).run();
}

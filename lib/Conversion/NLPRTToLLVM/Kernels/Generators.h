//===- Generators.h - The kernels that the compiler generates ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generated kernel is one stage or more, run one after the other, each over
// work items of its own. All stages see the same buffers: reads, then writes,
// the last of which is the workspace where the kernel has one. What an item
// covers depends on shapes alone.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_GENERATORS_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_GENERATORS_H

#include "KernelBuilder.h"

namespace nlp::rt {

/// What is known of a launch when its kernel is generated.
struct KernelRequest {
  llvm::StringRef kernel;
  llvm::SmallVector<mlir::MemRefType, 12> buffers;
  unsigned reads = 0;
  mlir::DictionaryAttr params;
  mlir::Region *body = nullptr; ///< Scalar definition of a pointwise kernel.

  int64_t count(unsigned buffer) const {
    return buffers[buffer].getNumElements();
  }
  /// Size of the last dimension.
  int64_t width(unsigned buffer) const {
    return buffers[buffer].getShape().empty()
               ? 1
               : buffers[buffer].getShape().back();
  }
  int64_t rows(unsigned buffer) const { return count(buffer) / width(buffer); }
  mlir::Type storage(unsigned buffer) const {
    return buffers[buffer].getElementType();
  }
  int64_t getInt(llvm::StringRef name, int64_t otherwise = 0) const;
  double getReal(llvm::StringRef name, double otherwise = 0.0) const;
  llvm::SmallVector<int64_t> getInts(llvm::StringRef name) const;
  llvm::SmallVector<double> getReals(llvm::StringRef name) const;
};

/// Takes the stages of a kernel.
class StageSink {
public:
  virtual ~StageSink() = default;
  virtual void stage(int64_t items,
                     llvm::function_ref<void(KernelBuilder &)> body) = 0;
};

/// Rows of `width` elements that make one work item.
int64_t getRowsPerItem(int64_t width);
/// Rows of a block whose sums over rows are partial sums: at most 64 blocks,
/// none smaller than two items, or partial sums would be much of the traffic.
int64_t getRowsPerBlock(int64_t rows, int64_t width);

// One function for each kernel; `get...Bytes` is its workspace.
void generatePointwise(const KernelRequest &request, StageSink &sink);
// An accumulation: in -> out, by adding or copying.
void generateAddTo(const KernelRequest &request, StageSink &sink);
void generateCopyFlat(const KernelRequest &request, StageSink &sink);
void generateFill(const KernelRequest &request, StageSink &sink);
void generateCopy(const KernelRequest &request, StageSink &sink);
void generateColumnSum(const KernelRequest &request, StageSink &sink);
int64_t getColumnSumBytes(const KernelRequest &request);
void generateRope(const KernelRequest &request, StageSink &sink);
void generateDropout(const KernelRequest &request, StageSink &sink);
void generateLayerNorm(const KernelRequest &request, StageSink &sink);
void generateLayerNormGrad(const KernelRequest &request, StageSink &sink);
int64_t getLayerNormGradBytes(const KernelRequest &request);
void generateRMSNorm(const KernelRequest &request, StageSink &sink);
void generateRMSNormGrad(const KernelRequest &request, StageSink &sink);
int64_t getRMSNormGradBytes(const KernelRequest &request);
void generateCrossEntropy(const KernelRequest &request, StageSink &sink);
int64_t getCrossEntropyBytes(const KernelRequest &request);
void generateCrossEntropyGrad(const KernelRequest &request, StageSink &sink);
void generateSquareSum(const KernelRequest &request, StageSink &sink);
void generateClipFactor(const KernelRequest &request, StageSink &sink);
void generateAdamW(const KernelRequest &request, StageSink &sink);
void generateSGD(const KernelRequest &request, StageSink &sink);

/// A kernel that the compiler generates.
struct Generator {
  llvm::StringRef kernel;
  void (*generate)(const KernelRequest &, StageSink &);
  int64_t (*workspaceBytes)(const KernelRequest &); ///< Null: needs none.
};

/// The generator of that name, or null.
const Generator *lookupGenerator(llvm::StringRef kernel);

/// Adds block partials in order: column j of `out` is the sum over blocks b of
/// partial[b * stride + j], for columns in items of 64.
void combinePartials(KernelBuilder &kernel, Buffer partial, int64_t blocks,
                     int64_t stride, int64_t width, Buffer out);
inline constexpr int64_t kCombineColumns = 64;

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELS_GENERATORS_H

//===- KernelCatalogue.h - Kernels that a launch may name -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiler passes may know of a kernel without knowing how it is made:
// its buffers, in order, and which results may share bytes with which inputs.
// A `workspace` is appended to the results by -nlprt-add-workspaces where the
// kernel needs one.
//
// Inputs and results by kernel ([x] is optional, told by a parameter):
//
//   fill                -> out                              value
//   copy            in -> out                               shape, in_strides,
//                     in_offset, out_strides, out_offset (arrays, in elements)
//   column_sum      in -> out             in [rows, width], out [width]
//   rope            in -> out                               frequencies,
//   inverse dropout         in, seed, first_sequence -> out         rate, site
//   layer_norm      in, weight, bias -> out, mean, rstd     epsilon
//   layer_norm_grad out_grad, in, weight, mean, rstd
//                      -> in_grad, weight_grad, bias_grad
//   rms_norm        in, weight -> out, rstd                 epsilon
//   rms_norm_grad   out_grad, in, weight, rstd -> in_grad, weight_grad
//   cross_entropy   logits, targets -> loss, lse            normalizer
//   cross_entropy_grad  loss_grad, logits, targets, lse -> logits_grad
//                                                           normalizer
//   square_sum      in -> out                               (blocks of 16384)
//   clip_factor     max_norm, square_sums... -> factor, norm
//   adamw           parameter, grad, m, v, [factor], lr, beta1, beta2, epsilon,
//                     [decay], step -> parameter, m, v      has_factor,
//                     has_decay
//   sgd             parameter, grad, velocity, [factor], lr, momentum, [decay]
//                     -> parameter, velocity                has_factor,
//                     has_decay
//   matmul, attention, attention_grad, embedding, embedding_grad: see abi.def;
//     parameters are the fields' names. A matmul that accumulates and has
//     `first` = 1 overwrites in a run for micro-batch 0.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_IR_KERNELCATALOGUE_H
#define NLP_DIALECT_NLPRT_IR_KERNELCATALOGUE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace nlp::rt {

/// One kernel of the catalogue.
struct KernelInfo {
  llvm::StringRef name;
  unsigned minReads, maxReads; ///< Numbers of input buffers.
  unsigned writes;             ///< Number of results without the workspace.
  bool isLibrary;              ///< A call of the C ABI, not generated code.
  /// Pairs (result, input) that may share their bytes.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 3> shared;
};

/// The kernel of that name, or null.
const KernelInfo *lookupKernel(llvm::StringRef name);

} // namespace nlp::rt

#endif // NLP_DIALECT_NLPRT_IR_KERNELCATALOGUE_H

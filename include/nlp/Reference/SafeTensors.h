//===- SafeTensors.h - Reads and writes .safetensors files ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For small files: they are read and written whole.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_SAFETENSORS_H
#define NLP_REFERENCE_SAFETENSORS_H

#include "nlp/Reference/StepInterpreter.h"
#include "llvm/Support/Error.h"

namespace nlp::ref {

/// Reads all tensors of F64, F32, F16 and BF16; tensors of other types are left
/// out.
llvm::Expected<NamedTensors> readSafeTensors(llvm::StringRef path);

/// Writes `tensors`, rounded to f32.
llvm::Error writeSafeTensors(llvm::StringRef path, const NamedTensors &tensors);

/// Replaces the elements of all `parameters` by those of the same name in the
/// file `path`. Names may differ by the prefix of a base model. An error where
/// one is missing or has another shape.
llvm::Error loadWeights(llvm::StringRef path, NamedTensors &parameters);

} // namespace nlp::ref

#endif // NLP_REFERENCE_SAFETENSORS_H

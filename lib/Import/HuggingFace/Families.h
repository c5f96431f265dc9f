//===- Families.h - The model families of the importer --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_FAMILIES_H
#define NLP_LIB_IMPORT_HUGGINGFACE_FAMILIES_H

#include "ConfigReader.h"
#include "GraphBuilder.h"
#include "nlp/Import/ImportOptions.h"

namespace nlp {

using ImportedModule = llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>;

/// What all families need beside the configuration.
struct ImportRequest {
  mlir::MLIRContext *context;
  std::string modelName;
  std::string modelType; // as known, or "" where only the fields are
  ImportOptions options;
};

/// The token grid that `request` asks of a model that has at most
/// `maxPositions` positions, from the field `positionsKey`.
llvm::Expected<GraphShape> getGraphShape(const ImportRequest &request,
                                         int64_t vocabSize,
                                         int64_t maxPositions,
                                         llvm::StringRef positionsKey);

/// The most layers that a model may have: far beyond any, and a bound on what
/// a damaged file makes the importer build.
inline constexpr int64_t kMaxLayers = 1 << 14;
/// The most features that a head may have.
inline constexpr int64_t kMaxHeadDim = 1 << 16;

ImportedModule importGPT2(ConfigReader &config, const ImportRequest &request);
ImportedModule importLlama(ConfigReader &config, const ImportRequest &request);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_FAMILIES_H

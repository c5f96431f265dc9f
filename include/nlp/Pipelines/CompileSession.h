//===- CompileSession.h - From a planned module to a training binary ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_COMPILESESSION_H
#define NLP_PIPELINES_COMPILESESSION_H

#include "nlp/Pipelines/PlanSession.h"

namespace nlp {

/// Where compilation stops.
enum class EmitPhase { Joint, Planned, Applied, Runtime, LLVM, Object, Binary };

struct CompileRequest {
  PlanRequest plan; ///< For what the module leaves open; its threads.
  EmitPhase emit = EmitPhase::Binary;
  std::string target = "cpu";
};

/// Lowers `module` to the phase asked for and writes it to `path`, whole or not
/// at all: text up to LLVM, else an object file or an executable.
llvm::Error compileModule(mlir::ModuleOp module, const CompileRequest &request,
                          llvm::StringRef path);

/// Prints a module with its locations, which carry the user-level places.
std::string printModule(mlir::ModuleOp module);

} // namespace nlp

#endif // NLP_PIPELINES_COMPILESESSION_H

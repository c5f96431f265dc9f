//===- MainFunction.h - The entry point of a training binary ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_TARGET_MAINFUNCTION_H
#define NLP_LIB_TARGET_MAINFUNCTION_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nlp {

/// Adds `main` to `module`: checks on x86 that this CPU has the features that
/// `machine` generates code for, else says so and returns 1; then calls
/// `nlprt_main`.
void addMain(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace nlp

#endif // NLP_LIB_TARGET_MAINFUNCTION_H

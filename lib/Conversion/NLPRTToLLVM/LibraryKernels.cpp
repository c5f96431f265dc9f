//===- LibraryKernels.cpp - Calls of the C ABI ----------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiler and runtime read one list, abi.def: here it gives the order of the
// fields in a parameter struct, and the runtime's own functions answer how much
// workspace a call needs.
//
//===----------------------------------------------------------------------===//

#include "LibraryKernels.h"
#include "nlprt/nlprt.h"

using namespace mlir;
using namespace nlp::rt;

static const LibraryKernel libraryKernels[] = {
#define NLPRT_INT(name) {#name, false},
#define NLPRT_REAL(name) {#name, true},
#define NLPRT_KERNEL(name, signature, fields)                                  \
  {#name, {fields}, [](const void *params, int64_t threads) {                  \
     return nlprt_##name##_workspace(                                          \
         static_cast<const nlprt_##name##_params *>(params), threads);         \
   }},
#include "nlprt/abi.def"
#undef NLPRT_KERNEL
#undef NLPRT_REAL
#undef NLPRT_INT
};

/// The library kernels refer to the runtime's threads. The compiler asks for
/// sizes only; should it ever run a kernel, it does so on one thread.
extern "C" __attribute__((weak)) nlprt_status
nlprt_parallel(nlprt_context *, const nlprt_site *, nlprt_body body,
               int64_t items, void *const *buffers) {
  body(0, items, buffers);
  return NLPRT_OK;
}

const LibraryKernel *nlp::rt::lookupLibraryKernel(StringRef name) {
  for (const LibraryKernel &kernel : libraryKernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

bool nlp::rt::overwritesFirst(LaunchOp launch) {
  auto first = launch.getParams().getAs<IntegerAttr>("first");
  return first && first.getInt() != 0;
}

FailureOr<SmallVector<int64_t>>
nlp::rt::getLibraryParams(LaunchOp launch, const LibraryKernel &kernel,
                          bool isFirst) {
  SmallVector<int64_t> words;
  for (const LibraryField &field : kernel.fields) {
    Attribute attr = launch.getParams().get(field.name);
    auto integer = dyn_cast_or_null<IntegerAttr>(attr);
    auto real = dyn_cast_or_null<FloatAttr>(attr);
    if (field.isReal ? !real : !integer)
      return launch.emitOpError("expected parameter '")
             << field.name << "' of kernel '" << kernel.name << "', "
             << (field.isReal ? "a float" : "an integer") << ", but got "
             << (attr ? attr : Attribute(UnitAttr::get(launch.getContext())));
    if (isFirst && overwritesFirst(launch) && field.name == "accumulate") {
      words.push_back(0);
      continue;
    }
    words.push_back(
        field.isReal ? llvm::bit_cast<int64_t>(real.getValueAsDouble())
        : integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                         : integer.getValue().getSExtValue());
  }
  return words;
}

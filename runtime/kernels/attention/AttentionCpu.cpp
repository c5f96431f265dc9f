//===- AttentionCpu.cpp - Flash attention on the CPU ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/Reference.h"

using namespace nlprt;

int64_t nlprt_attention_workspace(const nlprt_attention_params *, int64_t) {
  return 0;
}

int64_t nlprt_attention_grad_workspace(const nlprt_attention_grad_params *,
                                       int64_t) {
  return 0;
}

nlprt_status nlprt_attention(nlprt_context *, const nlprt_site *,
                             const nlprt_attention_params *params,
                             void *const *buffers) {
  if (!isSupported(params->dtype))
    return NLPRT_UNSUPPORTED;
  attentionReference(*params, buffers);
  return NLPRT_OK;
}

nlprt_status nlprt_attention_grad(nlprt_context *, const nlprt_site *,
                                  const nlprt_attention_grad_params *params,
                                  void *const *buffers) {
  if (!isSupported(params->dtype))
    return NLPRT_UNSUPPORTED;
  attentionGradReference(*params, buffers);
  return NLPRT_OK;
}

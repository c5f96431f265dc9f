//===- OneThread.h - oneDNN on the calling thread alone ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_MATMUL_ONETHREAD_H
#define NLPRT_KERNELS_MATMUL_ONETHREAD_H

#include <omp.h>

namespace nlprt {

/// oneDNN reads the number of threads of the calling thread's OpenMP settings,
/// both where it makes and where it runs a product.
class OneThread {
public:
  OneThread() : threads(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(threads); }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  int threads;
};

} // namespace nlprt

#endif // NLPRT_KERNELS_MATMUL_ONETHREAD_H

//===- MatmulConformance.cpp - Products on every backend -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace nlprt::test;

namespace {
struct Product {
  nlprt_matmul_params p;
  Array a, b, bias, out;

  explicit Product(const nlprt_matmul_params &p)
      : p(p), a(randomArray(p.batch * p.m * p.k, p.dtype, 1)),
        b(randomArray(p.batch * p.k * p.n, p.dtype, 2)),
        bias(randomArray(p.n, p.dtype, 3)),
        out(p.accumulate ? randomArray(p.batch * p.m * p.n, p.dtype, 4)
                         : Array(p.batch * p.m * p.n, p.dtype)) {}

  std::vector<double> expected() {
    std::vector<double> wanted;
    for (int64_t i = 0; i < p.batch; ++i)
      for (int64_t m = 0; m < p.m; ++m)
        for (int64_t n = 0; n < p.n; ++n) {
          double sum = p.accumulate ? out[wanted.size()]
                       : p.has_bias ? bias[n]
                                    : 0.0;
          for (int64_t k = 0; k < p.k; ++k) {
            int64_t ia = p.trans_a ? k * p.m + m : m * p.k + k;
            int64_t ib = p.trans_b ? n * p.k + k : k * p.n + n;
            sum += a[i * p.m * p.k + ia] * b[i * p.k * p.n + ib];
          }
          wanted.push_back(sum);
        }
    return wanted;
  }
};
} // namespace

TEST_P(ConformanceTest, Matmul) {
  const int64_t shapes[][4] = {{1, 1, 1, 1},   {1, 1, 7, 3},
                               {1, 65, 1, 9},  {2, 17, 33, 31},
                               {3, 64, 48, 5}, {1, 130, 70, 257}};
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (const auto &s : shapes)
      for (int mode = 0; mode < 12; ++mode) {
        bool hasBias = mode / 4 == 1, accumulate = mode / 4 == 2;
        Product product({s[0], s[1], s[2], s[3], mode & 1, mode >> 1 & 1,
                         hasBias, accumulate, dtype});
        SCOPED_TRACE(testing::Message()
                     << s[0] << "x" << s[1] << "x" << s[2] << "x" << s[3]
                     << " mode " << mode << " dtype " << dtype);
        std::vector<double> wanted = product.expected();
        Array space = workspace(backend.matmul_workspace, product.p);
        void *const buffers[] = {product.a.data(), product.b.data(),
                                 hasBias ? product.bias.data() : nullptr,
                                 product.out.data(), space.data()};
        ASSERT_EQ(backend.matmul(context.get(), nullptr, &product.p, buffers),
                  NLPRT_OK);
        EXPECT_LT(relativeError(product.out.values(), wanted),
                  nlprt::test::tolerance(dtype));
      }
}

TEST_P(ConformanceTest, MatmulRefuses) {
  Product product({1, 2, 2, 2, 0, 0, 0, 0, NLPRT_F32});
  Array space(64, NLPRT_I8);
  void *const buffers[] = {product.a.data(), product.b.data(), nullptr,
                           product.out.data(), space.data()};
  auto status = [&](auto change) {
    nlprt_matmul_params params = product.p;
    change(params);
    return backend.matmul(context.get(), nullptr, &params, buffers);
  };
  EXPECT_EQ(status([](auto &p) { p.m = 0; }), NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.k = -1; }), NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.m = p.n = INT64_C(1) << 40; }),
            NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.dtype = NLPRT_I32; }), NLPRT_UNSUPPORTED);
  EXPECT_EQ(status([](auto &p) { p.dtype = 99; }), NLPRT_UNSUPPORTED);
}

//===- MatmulPrimitive.cpp - A oneDNN primitive of a tile -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile gets a primitive made for one thread. Scratchpads are the caller's.
// A run allocates nothing that stays: oneDNN makes a small table of arguments
// for each execution and frees it again.
//
//===----------------------------------------------------------------------===//

#include "MatmulPrimitive.h"

#include "OneThread.h"

namespace nlprt {

static const dnnl::engine &getEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

std::unique_ptr<TilePrimitive> makePrimitive(const TileShape &shape) {
  OneThread guard;
  using dims = dnnl::memory::dims;
  using desc = dnnl::memory::desc;
  constexpr auto type = dnnl::memory::data_type::bf16;
  dims aStrides = shape.transA ? dims{1, shape.lda} : dims{shape.lda, 1};
  dims bStrides = shape.transB ? dims{1, shape.ldb} : dims{shape.ldb, 1};
  desc a({shape.m, shape.k}, type, aStrides);
  desc b({shape.k, shape.n}, type, bStrides);
  desc out({shape.m, shape.n}, type, dims{shape.ldc, 1});
  desc bias({1, shape.n}, type, dims{shape.n, 1});

  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (shape.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  dnnl::matmul::desc operation = shape.hasBias
                                     ? dnnl::matmul::desc(a, b, bias, out)
                                     : dnnl::matmul::desc(a, b, out);
  auto tile = std::make_unique<TilePrimitive>();
  tile->descriptor = dnnl::matmul::primitive_desc(
      operation, attributes, getEngine(), /*allow_empty=*/true);
  if (!tile->descriptor)
    return nullptr;
  tile->primitive = dnnl::matmul(tile->descriptor);
  return tile;
}

int64_t scratchBytes(const TilePrimitive &tile) {
  return static_cast<int64_t>(tile.descriptor.scratchpad_desc().get_size());
}

bool runPrimitive(const TilePrimitive &tile, const TileOperands &operands) {
  const dnnl::matmul::primitive_desc &descriptor = tile.descriptor;
  OneThread guard;
  try {
    const dnnl::engine &engine = getEngine();
    dnnl::stream stream(engine);
    dnnl::memory a(descriptor.src_desc(), engine, operands.a);
    dnnl::memory b(descriptor.weights_desc(), engine, operands.b);
    dnnl::memory out(descriptor.dst_desc(), engine, operands.out);
    dnnl::memory scratch(descriptor.scratchpad_desc(), engine,
                         operands.workspace);
    dnnl_exec_arg_t arguments[5] = {{DNNL_ARG_SRC, a.get()},
                                    {DNNL_ARG_WEIGHTS, b.get()},
                                    {DNNL_ARG_DST, out.get()},
                                    {DNNL_ARG_SCRATCHPAD, scratch.get()}};
    dnnl::memory bias;
    int count = 4;
    if (operands.bias) {
      bias = dnnl::memory(descriptor.bias_desc(), engine, operands.bias);
      arguments[count++] = {DNNL_ARG_BIAS, bias.get()};
    }
    return dnnl_primitive_execute(tile.primitive.get(), stream.get(), count,
                                  arguments) == dnnl_success &&
           dnnl_stream_wait(stream.get()) == dnnl_success;
  } catch (const std::exception &) {
    return false;
  }
}

} // namespace nlprt

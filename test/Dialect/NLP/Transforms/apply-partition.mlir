// RUN: nlp-opt %s -split-input-file -nlp-apply-partition -verify-diagnostics \
// RUN:   | FileCheck %s

// CHECK:       nlp.parameter @a : tensor<4xf32> init ones{{$}}
// CHECK-LABEL: nlp.step @whole {
// CHECK:         nlp.neg %{{.*}} : tensor<4xf32>
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  stage_layers = 3>
nlp.parameter @a : tensor<4xf32> init ones
    {sharding = #nlp.sharding<dims = [#nlp.dim<>]>}
nlp.step @whole attributes {plan = #plan} {
  nlp.segment @evaluate kind evaluate {
    %a = nlp.read @a : tensor<4xf32>
    %n = nlp.neg %a
        {plan = #nlp.op_plan<shardings = [#nlp.sharding<dims = [#nlp.dim<>]>]>}
        : tensor<4xf32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 2, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
// expected-error @+1 {{more than one device is not supported yet}}
nlp.step @mesh attributes {plan = #plan} {
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 2,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
// expected-error @+1 {{plan asks for ZeRO stage 2; more than 0 is not supported yet}}
nlp.step @zero attributes {plan = #plan} {
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = true, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
// expected-error @+1 {{sequence parallelism is not supported yet}}
nlp.step @sequence attributes {plan = #plan} {
}

// -----

// expected-error @+1 {{sharding is not supported yet}}
nlp.parameter @a : tensor<4xf32> init ones
    {sharding = #nlp.sharding<dims = [#nlp.dim<["dp"]>]>}

// -----

nlp.parameter @a : tensor<4xf32> init ones
nlp.step @stage {
  nlp.segment @evaluate kind evaluate {
    %a = nlp.read @a : tensor<4xf32>
    // expected-error @+1 {{stage 1 is not supported yet, only 0}}
    %n = nlp.neg %a {plan = #nlp.op_plan<stage = 1>} : tensor<4xf32>
  }
}

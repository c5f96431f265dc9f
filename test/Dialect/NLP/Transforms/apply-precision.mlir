// RUN: nlp-opt %s -split-input-file -nlp-apply-precision -verify-diagnostics \
// RUN:   | FileCheck %s

// CHECK-LABEL: nlp.step @has_it
// CHECK:         nlp.neg %{{.*}} : tensor<4xf32>
nlp.parameter @a : tensor<4xf32> init ones
nlp.step @has_it {
  nlp.segment @evaluate kind evaluate {
    %a = nlp.read @a : tensor<4xf32>
    %n = nlp.neg %a {plan = #nlp.op_plan<precision = f32>} : tensor<4xf32>
  }
}

// -----

nlp.parameter @a : tensor<4xf32> init ones
nlp.step @has_it_not {
  nlp.segment @evaluate kind evaluate {
    %a = nlp.read @a : tensor<4xf32>
    // expected-error @+1 {{precision 'bf16' is not supported yet for 'tensor<4xf32>'}}
    %n = nlp.neg %a {plan = #nlp.op_plan<precision = bf16>} : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{numerics mixed is not supported yet: expected exact}}
nlp.step @mixed attributes {
    plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = mixed, budget = 0>} {
}

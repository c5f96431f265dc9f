// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK: nlp.parameter @wte.weight : tensor<256x64xf32> init normal scale 2.000000e-02 {decay}
nlp.parameter @wte.weight : tensor<256x64xf32> init normal scale 0.02 {decay}
// CHECK: nlp.parameter @b : tensor<4xbf16> init zeros
// CHECK-NOT: scale
nlp.parameter @b : tensor<4xbf16> init zeros
// CHECK: nlp.parameter @g : tensor<f32> init ones {frozen}
nlp.parameter @g : tensor<f32> init ones {frozen}
// CHECK: nlp.parameter @s : tensor<4xf32> init ones {sharding = #nlp.sharding<dims = [<["dp"]>]>}
nlp.parameter @s : tensor<4xf32> init ones {
    sharding = #nlp.sharding<dims = [#nlp.dim<["dp"]>]>}
// CHECK: nlp.state @m.b : tensor<4xf32> kind moment {parameter = @b}
nlp.state @m.b : tensor<4xf32> kind moment {parameter = @b}
// CHECK: nlp.state @scale : tensor<f32> kind loss_scale
nlp.state @scale : tensor<f32> kind loss_scale
// CHECK: nlp.state @count : tensor<f32> kind counter
nlp.state @count : tensor<f32> kind counter

// CHECK-LABEL: nlp.step @step attributes {
// CHECK-SAME:    model = #nlp.model<name = "m", global_batch = 4, seq_len = 8, vocab_size = 256>
// CHECK-SAME:    schedule = [#nlp.run<@f, 0>, #nlp.run<@f, 1>, #nlp.run<@b, 0>, #nlp.run<@b, 1>, #nlp.run<@u, 0>]
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 4, seq_len = 8, vocab_size = 256>,
    schedule = [#nlp.run<@f, 0>, #nlp.run<@f, 1>, #nlp.run<@b, 0>,
                #nlp.run<@b, 1>, #nlp.run<@u, 0>]} {
  // CHECK: nlp.slot @x : tensor<2x8xi32>
  nlp.slot @x : tensor<2x8xi32>
  // CHECK: nlp.slot @grad.b : tensor<4xbf16> {accumulate, parameter = @b}
  nlp.slot @grad.b : tensor<4xbf16> {accumulate, parameter = @b}
  // CHECK: nlp.segment @f kind forward {
  nlp.segment @f kind forward {
    // CHECK: %[[X:.*]] = nlp.input tokens : tensor<2x8xi32>
    %x = nlp.input tokens : tensor<2x8xi32>
    // CHECK: nlp.input targets : tensor<2x8xi32>
    %t = nlp.input targets : tensor<2x8xi32>
    // CHECK: nlp.slot_store @x, %[[X]] : tensor<2x8xi32>
    nlp.slot_store @x, %x : tensor<2x8xi32>
  }
  // CHECK: nlp.segment @b kind backward attributes {order = #nlp.order<ops = [1, 0, 2], instances = [0, 0, 0]>} {
  nlp.segment @b kind backward attributes {
      order = #nlp.order<ops = [1, 0, 2], instances = [0, 0, 0]>} {
    // CHECK: nlp.slot_load @x : tensor<2x8xi32>
    %x = nlp.slot_load @x : tensor<2x8xi32>
    // CHECK: %[[B:.*]] = nlp.read @b : tensor<4xbf16>
    %b = nlp.read @b : tensor<4xbf16>
    // CHECK: nlp.slot_accumulate @grad.b, %[[B]] : tensor<4xbf16>
    nlp.slot_accumulate @grad.b, %b : tensor<4xbf16>
  }
  // CHECK: nlp.segment @fb kind forward_backward {
  // CHECK-NEXT: nlp.turn
  nlp.segment @fb kind forward_backward {
    nlp.turn
  }
  // CHECK: nlp.segment @w kind weight_gradient {
  nlp.segment @w kind weight_gradient {
  }
  // CHECK: nlp.segment @u kind update {
  nlp.segment @u kind update {
    // CHECK: %[[C:.*]] = nlp.read @count : tensor<f32>
    %c = nlp.read @count : tensor<f32>
    // CHECK: nlp.assign @count, %[[C]] : tensor<f32>
    nlp.assign @count, %c : tensor<f32>
    // CHECK: nlp.report loss, %[[C]] : tensor<f32>
    nlp.report loss, %c : tensor<f32>
    // CHECK: nlp.report grad_norm, %[[C]] : tensor<f32>
    nlp.report grad_norm, %c : tensor<f32>
  }
  // CHECK: nlp.segment @e kind evaluate {
  nlp.segment @e kind evaluate {
    // CHECK: nlp.runtime_scalar learning_rate : tensor<f64>
    %0 = nlp.runtime_scalar learning_rate : tensor<f64>
    // CHECK: nlp.runtime_scalar beta1 : tensor<f64>
    %1 = nlp.runtime_scalar beta1 : tensor<f64>
    // CHECK: nlp.runtime_scalar beta2 : tensor<f64>
    %2 = nlp.runtime_scalar beta2 : tensor<f64>
    // CHECK: nlp.runtime_scalar epsilon : tensor<f64>
    %3 = nlp.runtime_scalar epsilon : tensor<f64>
    // CHECK: nlp.runtime_scalar weight_decay : tensor<f64>
    %4 = nlp.runtime_scalar weight_decay : tensor<f64>
    // CHECK: nlp.runtime_scalar momentum : tensor<f64>
    %5 = nlp.runtime_scalar momentum : tensor<f64>
    // CHECK: nlp.runtime_scalar max_grad_norm : tensor<f64>
    %6 = nlp.runtime_scalar max_grad_norm : tensor<f64>
    // CHECK: nlp.runtime_scalar step_number : tensor<i64>
    %7 = nlp.runtime_scalar step_number : tensor<i64>
    // CHECK: nlp.runtime_scalar step_seed : tensor<i64>
    %8 = nlp.runtime_scalar step_seed : tensor<i64>
    // CHECK: nlp.runtime_scalar first_sequence : tensor<i64>
    %9 = nlp.runtime_scalar first_sequence : tensor<i64>
  }
}

// An empty step: no model, no schedule.
// CHECK-LABEL: nlp.step @nothing {
// CHECK-NEXT:  }
nlp.step @nothing {
}

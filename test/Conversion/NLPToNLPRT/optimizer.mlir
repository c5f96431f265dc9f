// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

// States are named apart from parameters.
// CHECK: nlprt.buffer @w : memref<8xf32> kind parameter category parameters {decay, init = 2 : i64, init_scale = 2.000000e-02 : f64}
// CHECK: nlprt.buffer @state.m.w : memref<8xf32> kind state category optimizer
// CHECK: nlprt.buffer @slot.grad.w : memref<8xf32> kind accumulator category gradients
nlp.parameter @w : tensor<8xf32> init normal scale 0.02 {decay}
nlp.state @m.w : tensor<8xf32> kind moment {parameter = @w}
nlp.state @v.w : tensor<8xf32> kind moment {parameter = @w}
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@adamw, 0>]} {
  nlp.slot @grad.w : tensor<8xf32> {accumulate, parameter = @w}

  // The update writes the parameter and its moments in their own places.
  // CHECK-LABEL: nlprt.routine @adamw
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @w
  // CHECK-DAG:     %[[G:.*]] = nlprt.get @slot.grad.w
  // CHECK-DAG:     %[[M:.*]] = nlprt.get @state.m.w
  // CHECK-DAG:     %[[V:.*]] = nlprt.get @state.v.w
  // CHECK-DAG:     %[[MAX:.*]] = nlprt.get @scalar.max_grad_norm : memref<f64>
  // CHECK-DAG:     %[[LR:.*]] = nlprt.get @scalar.learning_rate : memref<f64>
  // CHECK-DAG:     %[[B1:.*]] = nlprt.get @scalar.beta1
  // CHECK-DAG:     %[[B2:.*]] = nlprt.get @scalar.beta2
  // CHECK-DAG:     %[[EPS:.*]] = nlprt.get @scalar.epsilon
  // CHECK-DAG:     %[[DECAY:.*]] = nlprt.get @scalar.weight_decay
  // CHECK-DAG:     %[[T:.*]] = nlprt.get @scalar.step_number : memref<i64>
  // CHECK:         nlprt.launch "square_sum"(%[[G]]) to(%[[S:.*]]) {{.*}} : (memref<8xf32>) -> memref<1xf64>
  // CHECK:         nlprt.launch "clip_factor"(%[[MAX]], %[[S]]) to(%[[F:.*]], %{{.*}})
  // CHECK-NEXT:    nlprt.launch "adamw"(%[[W]], %[[G]], %[[M]], %[[V]], %[[F]], %[[LR]], %[[B1]], %[[B2]], %[[EPS]], %[[DECAY]], %[[T]]) to(%[[W]], %[[M]], %[[V]])
  // CHECK-SAME:      params = {has_decay = 1 : i64, has_factor = 1 : i64}
  // CHECK-NOT:     nlprt.launch
  nlp.segment @adamw kind update {
    %w = nlp.read @w : tensor<8xf32>
    %g = nlp.slot_load @grad.w : tensor<8xf32>
    %m = nlp.read @m.w : tensor<8xf32>
    %v = nlp.read @v.w : tensor<8xf32>
    %max = nlp.runtime_scalar max_grad_norm : tensor<f64>
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %b1 = nlp.runtime_scalar beta1 : tensor<f64>
    %b2 = nlp.runtime_scalar beta2 : tensor<f64>
    %eps = nlp.runtime_scalar epsilon : tensor<f64>
    %decay = nlp.runtime_scalar weight_decay : tensor<f64>
    %t = nlp.runtime_scalar step_number : tensor<i64>
    %s = nlp.square_sum %g : tensor<8xf32>
    %factor, %norm = nlp.clip_factor %max, %s : tensor<1xf64>
    %p, %m2, %v2 = nlp.adamw %w, %g moments %m, %v factor %factor
        scalars %lr, %b1, %b2, %eps, %t decay %decay
        : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    nlp.assign @w, %p : tensor<8xf32>
    nlp.assign @m.w, %m2 : tensor<8xf32>
    nlp.assign @v.w, %v2 : tensor<8xf32>
  }

  // Without factor and decay.
  // CHECK-LABEL: nlprt.routine @adamw_plain
  // CHECK:         nlprt.launch "adamw"({{(%[^,]*, ){8}%[^,]*}}) to({{.*}}params = {has_decay = 0 : i64, has_factor = 0 : i64}
  nlp.segment @adamw_plain kind update {
    %w = nlp.read @w : tensor<8xf32>
    %g = nlp.slot_load @grad.w : tensor<8xf32>
    %m = nlp.read @m.w : tensor<8xf32>
    %v = nlp.read @v.w : tensor<8xf32>
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %t = nlp.runtime_scalar step_number : tensor<i64>
    %p, %m2, %v2 = nlp.adamw %w, %g moments %m, %v
        scalars %lr, %lr, %lr, %lr, %t : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }

  // CHECK-LABEL: nlprt.routine @sgd
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @w
  // CHECK-DAG:     %[[G:.*]] = nlprt.get @slot.grad.w
  // CHECK-DAG:     %[[U:.*]] = nlprt.get @state.m.w
  // CHECK-DAG:     %[[LR:.*]] = nlprt.get @scalar.learning_rate
  // CHECK-DAG:     %[[MU:.*]] = nlprt.get @scalar.momentum
  // CHECK-DAG:     %[[DECAY:.*]] = nlprt.get @scalar.weight_decay
  // CHECK:         nlprt.launch "sgd"(%[[W]], %[[G]], %[[U]], %[[LR]], %[[MU]], %[[DECAY]]) to(%[[W]], %[[U]])
  // CHECK-SAME:      params = {has_decay = 1 : i64, has_factor = 0 : i64}
  nlp.segment @sgd kind update {
    %w = nlp.read @w : tensor<8xf32>
    %g = nlp.slot_load @grad.w : tensor<8xf32>
    %u = nlp.read @m.w : tensor<8xf32>
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %mu = nlp.runtime_scalar momentum : tensor<f64>
    %decay = nlp.runtime_scalar weight_decay : tensor<f64>
    %p, %u2 = nlp.sgd %w, %g velocity %u scalars %lr, %mu decay %decay
        : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    nlp.assign @w, %p : tensor<8xf32>
    nlp.assign @m.w, %u2 : tensor<8xf32>
  }
}

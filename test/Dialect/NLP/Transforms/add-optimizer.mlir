// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer="optimizer=sgd clip=false" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: not nlp-opt %s -nlp-autodiff -nlp-add-optimizer=optimizer=lion 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// CHECK:       nlp.parameter @b
// CHECK-NEXT:  nlp.state @m.w : tensor<3xf32> kind moment {parameter = @w}
// ADAMW-NEXT:  nlp.state @v.w : tensor<3xf32> kind moment {parameter = @w}
// CHECK-NEXT:  nlp.state @m.b : tensor<3xf32> kind moment {parameter = @b}
// ADAMW-NEXT:  nlp.state @v.b : tensor<3xf32> kind moment {parameter = @b}
// CHECK-NEXT:  nlp.step @step attributes {schedule = [#nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]}
// CHECK:         nlp.segment @update
// CHECK:           nlp.report loss
// CHECK-NEXT:      %[[GW:.*]] = nlp.slot_load @grad.w
// CHECK-NEXT:      %[[GB:.*]] = nlp.slot_load @grad.b
// CHECK-NEXT:      %[[SW:.*]] = nlp.square_sum %[[GW]]
// CHECK-NEXT:      %[[SB:.*]] = nlp.square_sum %[[GB]]
// CHECK-NEXT:      %[[MAX:.*]] = nlp.runtime_scalar max_grad_norm
// CHECK-NEXT:      %[[FACTOR:.*]], %[[NORM:.*]] = nlp.clip_factor %[[MAX]], %[[SW]], %[[SB]]
// CHECK-NEXT:      nlp.report grad_norm, %[[NORM]]
// ADAMW-NEXT:      %[[LR:.*]] = nlp.runtime_scalar learning_rate
// ADAMW-NEXT:      %[[B1:.*]] = nlp.runtime_scalar beta1
// ADAMW-NEXT:      %[[B2:.*]] = nlp.runtime_scalar beta2
// ADAMW-NEXT:      %[[EPS:.*]] = nlp.runtime_scalar epsilon
// ADAMW-NEXT:      %[[T:.*]] = nlp.runtime_scalar step_number
// ADAMW-NEXT:      %[[W:.*]] = nlp.read @w
// ADAMW-NEXT:      %[[MW:.*]] = nlp.read @m.w
// ADAMW-NEXT:      %[[VW:.*]] = nlp.read @v.w
// ADAMW-NEXT:      %[[WD:.*]] = nlp.runtime_scalar weight_decay
// ADAMW-NEXT:      %[[P:.*]], %[[M:.*]], %[[V:.*]] = nlp.adamw %[[W]], %[[GW]] moments %[[MW]], %[[VW]]
// ADAMW-SAME:        factor %[[FACTOR]] scalars %[[LR]], %[[B1]], %[[B2]], %[[EPS]], %[[T]] decay %[[WD]]
// ADAMW-NEXT:      nlp.assign @w, %[[P]]
// ADAMW-NEXT:      nlp.assign @m.w, %[[M]]
// ADAMW-NEXT:      nlp.assign @v.w, %[[V]]
// @b is not marked for decay.
// ADAMW:           nlp.adamw
// ADAMW-NOT:       decay
// ADAMW:           nlp.assign @b

// SGD-NOT:         factor %
// SGD:             nlp.sgd {{.*}} decay
// SGD:             nlp.assign @m.w
// SGD:             nlp.sgd
// SGD-NOT:         decay
// SGD:             nlp.assign @m.b

// UNKNOWN: Cannot find option named 'lion'
nlp.parameter @w : tensor<3xf32> init ones {decay}
nlp.parameter @b : tensor<3xf32> init zeros
nlp.step @step {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<3xf32>
    %b = nlp.read @b : tensor<3xf32>
    %product = nlp.mul %w, %b : tensor<3xf32>
    %loss = nlp.reduce_sum %product leading 1 : tensor<3xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}

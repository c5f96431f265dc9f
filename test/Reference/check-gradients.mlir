// A wrong gradient is found, by each direction that it is wrong along.
// RUN: not nlp-interpret %s --check-gradients=1e-3,1e-6,8 | FileCheck %s

// CHECK:      bad gradient: x: expected
// CHECK-NEXT: bad gradient: x[0]: expected 1, but got 2
// CHECK-NEXT: bad gradient: x[1]: expected 1, but got 2
// CHECK-NEXT: bad gradient: x[2]: expected 1, but got 2
// CHECK-NEXT: gradients of 2 parameters, 8 directions, loss {{.*}}: 4 bad,

nlp.parameter @x : tensor<3xf32> init normal scale 1.0
nlp.parameter @y : tensor<3xf32> init normal scale 1.0

nlp.step @train {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @grad.x : tensor<3xf32> {accumulate, parameter = @x}
  nlp.slot @grad.y : tensor<3xf32> {accumulate, parameter = @y}
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @x : tensor<3xf32>
    %y = nlp.read @y : tensor<3xf32>
    %sum = nlp.sub %x, %y : tensor<3xf32>
    %l = nlp.reduce_sum %sum leading 1 : tensor<3xf32>
    nlp.slot_accumulate @loss, %l : tensor<f32>
    nlp.turn
    %two = nlp.fill 2.0 : tensor<3xf32>
    nlp.slot_accumulate @grad.x, %two : tensor<3xf32>
    %minus_one = nlp.fill -1.0 : tensor<3xf32>
    nlp.slot_accumulate @grad.y, %minus_one : tensor<3xf32>
  }
  nlp.segment @update kind update {
    %l = nlp.slot_load @loss : tensor<f32>
    nlp.report loss, %l : tensor<f32>
  }
}

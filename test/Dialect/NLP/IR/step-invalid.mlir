// RUN: nlp-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a positive scale for init normal and none otherwise, but got 0.0}}
nlp.parameter @parameter_c1_normal : tensor<4xf32> init normal

// -----

// expected-error @+1 {{expected a positive scale for init normal and none otherwise, but got 1.0}}
nlp.parameter @parameter_c1_ones : tensor<4xf32> init ones scale 1.0

// -----

// expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of tensor with static sizes of 1 or more}}
nlp.parameter @parameter_type : tensor<4xi32> init ones

// -----

// expected-error @+1 {{requires attribute 'init'}}
"nlp.parameter"() <{sym_name = "p", type = tensor<4xf32>}> : () -> ()

// -----

// expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of tensor with static sizes of 1 or more}}
nlp.state @state_type : tensor<0xf32> kind moment

// -----

nlp.step @step_c1 {
  // expected-error @+1 {{expected only segments and slots in a step}}
  %0 = nlp.fill 0.0 : tensor<f32>
}

// -----

// expected-error @+1 {{expected a segment of this step, but schedule names @g}}
nlp.step @step_c2 attributes {schedule = [#nlp.run<@g, 0>]} {
  nlp.segment @f kind forward {
  }
}

// -----

// A slot is no segment.
// expected-error @+1 {{expected a segment of this step, but schedule names @s}}
nlp.step @step_c2_slot attributes {schedule = [#nlp.run<@s, 0>]} {
  nlp.slot @s : tensor<f32>
}

// -----

// expected-error @+1 {{schedule runs @b for micro-batch 1 before its forward segment}}
nlp.step @step_c3 attributes {
    schedule = [#nlp.run<@f, 0>, #nlp.run<@b, 1>, #nlp.run<@f, 1>]} {
  nlp.segment @f kind forward {
  }
  nlp.segment @b kind backward {
  }
}

// -----

// expected-error @+1 {{expected micro-batches numbered from 0, but got 2 in a schedule of 2 runs}}
nlp.step @step_c4 attributes {schedule = [#nlp.run<@f, 0>, #nlp.run<@f, 2>]} {
  nlp.segment @f kind forward {
  }
}

// -----

// expected-error @+1 {{expected micro-batches numbered from 0, but got 9223372036854775807}}
nlp.step @step_c4_limit attributes {
    schedule = [#nlp.run<@f, 9223372036854775807>]} {
  nlp.segment @f kind forward {
  }
}

// -----

// expected-error @+1 {{attribute 'schedule' failed to satisfy constraint: array of runs}}
nlp.step @step_schedule attributes {schedule = [1 : i64]} {
}

// -----

%0 = nlp.fill 0.0 : tensor<f32> // expected-note@+2 {{required by region isolation constraints}}
// Segments reach outside through symbols only.
nlp.step @isolated {
  nlp.segment @f kind forward {
    // expected-error @+1 {{using value defined outside the region}}
    nlp.report loss, %0 : tensor<f32>
  }
}

// -----

// expected-error @+1 {{region with 1 blocks}}
"nlp.step"() <{sym_name = "step_region"}> ({}) : () -> ()

// -----

nlp.step @segment_c1_none {
  // expected-error @+1 {{expected 1 nlp.turn in a forward_backward segment, but got 0}}
  nlp.segment @f kind forward_backward {
  }
}

// -----

nlp.step @segment_c1_two {
  // expected-error @+1 {{expected 1 nlp.turn in a forward_backward segment, but got 2}}
  nlp.segment @f kind forward_backward {
    nlp.turn
    nlp.turn
  }
}

// -----

nlp.step @segment_c1_forward {
  // expected-error @+1 {{expected 0 nlp.turn in a forward segment, but got 1}}
  nlp.segment @f kind forward {
    nlp.turn
  }
}

// -----

// expected-error @+1 {{expects parent op 'nlp.step'}}
nlp.segment @segment_parent kind forward {
}

// -----

// expected-error @+1 {{expects parent op 'nlp.step'}}
nlp.slot @slot_parent : tensor<f32>

// -----

// expected-error @+1 {{expects parent op 'nlp.segment'}}
nlp.turn

// -----

nlp.step @slot_load_unknown {
  nlp.segment @f kind forward {
    // expected-error @+1 {{expected a slot of this step, but got @s}}
    %0 = nlp.slot_load @s : tensor<f32>
  }
}

// -----

// expected-error @+1 {{expected a slot of this step, but got @s}}
%0 = nlp.slot_load @s : tensor<f32>

// -----

nlp.step @slot_load_type {
  nlp.slot @s : tensor<4xf32>
  nlp.segment @f kind forward {
    // expected-error @+1 {{expected a value of type 'tensor<4xf32>', the type of @s, but got 'tensor<f32>'}}
    %0 = nlp.slot_load @s : tensor<f32>
  }
}

// -----

nlp.step @slot_store_accumulates {
  nlp.slot @s : tensor<f32> {accumulate}
  nlp.segment @f kind forward {
    %0 = nlp.fill 0.0 : tensor<f32>
    // expected-error @+1 {{expected a slot that does not accumulate, but got @s}}
    nlp.slot_store @s, %0 : tensor<f32>
  }
}

// -----

nlp.step @slot_accumulate_plain {
  nlp.slot @s : tensor<f32>
  nlp.segment @f kind forward {
    %0 = nlp.fill 0.0 : tensor<f32>
    // expected-error @+1 {{expected an accumulating slot, but got @s}}
    nlp.slot_accumulate @s, %0 : tensor<f32>
  }
}

// -----

nlp.step @step {
  nlp.slot @read_c1_slot : tensor<f32>
  nlp.segment @f kind forward {
    // expected-error @+1 {{expected a parameter or a state, but got @read_c1_slot}}
    %0 = nlp.read @read_c1_slot : tensor<f32>
  }
}

// -----

nlp.parameter @p : tensor<4xf32> init ones
nlp.step @step {
  nlp.segment @f kind forward {
    // expected-error @+1 {{expected a value of type 'tensor<4xf32>', the type of @p, but got 'tensor<4xf16>'}}
    %0 = nlp.read @p : tensor<4xf16>
  }
}

// -----

nlp.state @assign_c1_type : tensor<4xf32> kind moment
nlp.step @step {
  nlp.segment @f kind forward {
    %0 = nlp.fill 0.0 : tensor<f32>
    // expected-error @+1 {{expected a value of type 'tensor<4xf32>', the type of @assign_c1_type, but got 'tensor<f32>'}}
    nlp.assign @assign_c1_type, %0 : tensor<f32>
  }
}

// -----

nlp.parameter @assign_c1_frozen : tensor<f32> init ones {frozen}
nlp.step @step {
  nlp.segment @f kind forward {
    %0 = nlp.fill 0.0 : tensor<f32>
    // expected-error @+1 {{cannot assign frozen parameter @assign_c1_frozen}}
    nlp.assign @assign_c1_frozen, %0 : tensor<f32>
  }
}

// -----

// expected-error @+1 {{expected a result [sequences, tokens], but got 'tensor<8xi32>'}}
%input_c1 = nlp.input tokens : tensor<8xi32>

// -----

// expected-error @+1 {{expected element type f64 for learning_rate, but got 'i64'}}
%runtime_scalar_c1_real = nlp.runtime_scalar learning_rate : tensor<i64>

// -----

// expected-error @+1 {{expected element type i64 for step_seed, but got 'f64'}}
%runtime_scalar_c1_integer = nlp.runtime_scalar step_seed : tensor<f64>

// -----

// expected-error @+2 {{failed to parse NLP_RuntimeScalarKindAttr}}
// expected-error @+1 {{expected ::nlp::RuntimeScalarKind to be one of: learning_rate}}
%runtime_scalar_unknown = nlp.runtime_scalar beta3 : tensor<f64>

// RUN: nlp-opt %s -split-input-file -convert-nlp-to-nlprt -verify-diagnostics

// expected-error @+1 {{expected one nlp.step in the module, but got 0}}
module {
}

// -----

// expected-error @+1 {{expected one nlp.step in the module, but got 2}}
module {
  nlp.step @a {
  }
  nlp.step @b {
  }
}

// -----

// expected-error @+1 {{expected a model attribute}}
nlp.step @no_model {
}

// -----

// expected-error @+1 {{expected a schedule: differentiate the graph and add an optimizer first}}
nlp.step @no_schedule attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>} {
}

// -----

nlp.parameter @p : tensor<4xf32> init ones
nlp.step @no_kernel attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
    // expected-error @+1 {{has no kernel to run it}}
    %0 = arith.constant dense<1.0> : tensor<4xf32>
  }
}

// -----

nlp.parameter @p : tensor<4xf32> init ones
nlp.step @read_after_assign attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
    %p = nlp.read @p : tensor<4xf32>
    %0 = nlp.neg %p : tensor<4xf32>
    nlp.assign @p, %0 : tensor<4xf32>
    // expected-error @+1 {{reads @p as it was before it is written}}
    %1 = nlp.exp %p : tensor<4xf32>
  }
}

// -----

// A view shows the new value as well.
nlp.parameter @p : tensor<4xf32> init ones
nlp.step @view_after_assign attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
    %p = nlp.read @p : tensor<4xf32>
    %v = nlp.reshape %p : tensor<4xf32> -> tensor<2x2xf32>
    %0 = nlp.fill 0.0 : tensor<4xf32>
    nlp.assign @p, %0 : tensor<4xf32>
    // expected-error @+1 {{reads @p as it was before it is written}}
    %1 = nlp.exp %v : tensor<2x2xf32>
  }
}

// -----

// So does a repeated buffer that is not made.
nlp.parameter @p : tensor<4xf32> init ones
nlp.step @broadcast_after_assign attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
    %p = nlp.read @p : tensor<4xf32>
    %b = nlp.broadcast %p : tensor<4xf32> -> tensor<2x4xf32>
    %0 = nlp.fill 0.0 : tensor<4xf32>
    nlp.assign @p, %0 : tensor<4xf32>
    // expected-error @+1 {{reads @p as it was before it is written}}
    %1 = nlp.exp %b : tensor<2x4xf32>
  }
}

// -----

// The new value of one is the old value of the other.
nlp.parameter @p : tensor<4xf32> init ones
nlp.parameter @q : tensor<4xf32> init ones
nlp.step @swap attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
    %p = nlp.read @p : tensor<4xf32>
    %q = nlp.read @q : tensor<4xf32>
    nlp.assign @p, %q : tensor<4xf32>
    // expected-error @+1 {{reads @p as it was before it is written}}
    nlp.assign @q, %p : tensor<4xf32>
  }
}

// -----

nlp.step @load_before_store attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.slot @s : tensor<4xf32>
  nlp.segment @f kind forward {
    %s = nlp.slot_load @s : tensor<4xf32>
    %0 = nlp.fill 0.0 : tensor<4xf32>
    nlp.slot_store @s, %0 : tensor<4xf32>
    // expected-error @+1 {{reads @s as it was before it is written}}
    %1 = nlp.exp %s : tensor<4xf32>
  }
}

// -----

nlp.step @load_before_accumulate attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.slot @s : tensor<4xf32> {accumulate}
  nlp.segment @f kind forward {
    %s = nlp.slot_load @s : tensor<4xf32>
    %0 = nlp.fill 0.0 : tensor<4xf32>
    nlp.slot_accumulate @s, %0 : tensor<4xf32>
    // expected-error @+1 {{reads @s as it was before it is written}}
    %1 = nlp.exp %s : tensor<4xf32>
  }
}

// -----

nlp.step @input_types attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind forward {
    %0 = nlp.input tokens : tensor<2x4xi32>
    // expected-error @+1 {{expected one kind and type of buffer @input.tokens, but got input of 'memref<2x4xi32>' and input of 'memref<2x5xi32>'}}
    %1 = nlp.input tokens : tensor<2x5xi32>
  }
}

// -----

nlp.parameter @slot.s : tensor<4xf32> init ones
nlp.step @slot_name attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  // expected-error @+1 {{expected one kind and type of buffer @slot.s, but got parameter of 'memref<4xf32>' and slot of 'memref<4xf32>'}}
  nlp.slot @s : tensor<4xf32>
  nlp.segment @f kind forward {
  }
}

// -----

nlp.parameter @state.m : tensor<4xf32> init ones
// expected-error @+1 {{expected one kind and type of buffer @state.m, but got parameter of 'memref<4xf32>' and state of 'memref<4xf32>'}}
nlp.state @m : tensor<4xf32> kind moment
nlp.step @state_name attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  nlp.segment @f kind update {
  }
}

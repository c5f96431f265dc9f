// RUN: nlp-opt %s -split-input-file -nlp-apply-schedule -verify-diagnostics

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 2, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <zb_h1>, numerics = exact, budget = 0>
// expected-error @+1 {{schedule zb_h1 is not supported yet}}
nlp.step @zero_bubble attributes {plan = #plan, schedule = []} {
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <gpipe>, numerics = exact, budget = 0>
nlp.step @ordered attributes {plan = #plan, schedule = [
    #nlp.run<@joint, 0>, #nlp.run<@joint, 1>]} {
  // expected-error @+1 {{expected its order to be carried out by nlp-schedule before it is cut}}
  nlp.segment @joint kind forward_backward attributes {
      order = #nlp.order<ops = [0], instances = [0]>} {
    nlp.turn
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <gpipe>, numerics = exact, budget = 0>
nlp.step @taken attributes {plan = #plan, schedule = [
    #nlp.run<@joint, 0>, #nlp.run<@joint, 1>]} {
  // expected-error @+1 {{has the name of a segment to be made}}
  nlp.segment @backward kind evaluate {
  }
  nlp.segment @joint kind forward_backward {
    nlp.turn
  }
}

// The gradient of nlp.cross_entropy; every fourth target is ignored.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8,60 --ignore-every=4

nlp.parameter @logits : tensor<2x6x5xf32> init normal scale 2.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %targets = nlp.input targets : tensor<2x6xi32>
    %logits = nlp.read @logits : tensor<2x6x5xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 12.0
        : tensor<2x6x5xf32>, tensor<2x6xi32>
    // Scaled, so that the gradient of the loss is not one.
    %scaled = nlp.scale %loss by 3.0 : tensor<f32>
    nlp.report loss, %scaled : tensor<f32>
  }
}

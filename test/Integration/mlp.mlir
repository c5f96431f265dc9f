// A two-layer perceptron over bytes, written by hand: from the last byte it tells
// the next. Trained by one command from this file, and through nlp-opt and
// nlp-compile, pass pipeline by pass pipeline: the same plan, the same bits.
//
// RUN: rm -rf %t && mkdir %t
// RUN: env NLP_OPT_CACHE=%t/cache nlp-train %s --data=%s --steps=150 --lr=1e-2 \
// RUN:   --metrics=%t/train.jsonl --save=%t/train.safetensors --keep=%t > %t/log
// RUN: FileCheck %s --check-prefix=LOG < %t/log
// LOG: model {{.*}}mlp, 26944 parameters
// LOG: batch {{.*}}16 sequences of 32 tokens
// LOG: mlp: 26944 parameters
// LOG: steps       150 of 150
//
// The loss falls from that of a guess, ln 256 = 5.55, below that of a unigram
// model of this text (3.4 nats); pairs of bytes have 2.0.
//
// RUN: %python -c "import json, sys; r = [json.loads(l)['loss'] for l in \
// RUN:   open(sys.argv[1])]; print(r[0], r[-1]); \
// RUN:   sys.exit(not (abs(r[0] - 5.55) < 0.1 and r[-1] < 2.9))" %t/train.jsonl
//
// RUN: nlp-opt %s -nlp-to-joint -nlp-plan -o %t/planned2.mlir
// RUN: nlp-opt %t/planned2.mlir -nlp-apply -nlp-to-runtime -nlp-to-llvm \
// RUN:   -o %t/llvm.mlir
// RUN: FileCheck %s --check-prefix=LLVM < %t/llvm.mlir
// LLVM: llvm.mlir.global {{.*}}@nlprt_compiled_program
// RUN: nlp-opt %s -nlp-to-joint -o - | nlp-opt -nlp-plan -o %t/planned3.mlir
// RUN: cmp %t/planned2.mlir %t/planned3.mlir
//
// RUN: nlp-compile %t/planned2.mlir -o %t/train
// RUN: %t/train --data=%s --steps=150 --lr=1e-2 --metrics=%t/binary.jsonl \
// RUN:   --save=%t/binary.safetensors > %t/log
// RUN: cmp %t/train.safetensors %t/binary.safetensors
// RUN: nlp-compile %t/llvm.mlir -o %t/train
// RUN: %t/train --data=%s --steps=150 --lr=1e-2 --save=%t/llvm.safetensors > %t/log
// RUN: cmp %t/train.safetensors %t/llvm.safetensors
//
// The interpreter agrees, and so do micro-batches. (AdamW's division by the size
// of a gradient that is next to nothing, as of bytes that do not occur, is kept
// from showing the last bits by a large epsilon.)
//
// RUN: nlp-interpret %t/planned2.mlir --data=%s --steps=5 --lr=1e-2 --eps=1e-3 \
// RUN:   --save=%t/want.safetensors > %t/log
// RUN: env NLP_OPT_CACHE=%t/cache nlp-train %s --micro-batch=4 --data=%s \
// RUN:   --steps=5 --lr=1e-2 --eps=1e-3 --save=%t/got.safetensors > %t/log
// RUN: %python %S/compare.py tensors %t/got.safetensors %t/want.safetensors

nlp.parameter @embedding : tensor<256x32xf32> init normal scale 1.0 {decay}
nlp.parameter @fc.weight : tensor<64x32xf32> init normal scale 0.2 {decay}
nlp.parameter @fc.bias : tensor<64xf32> init zeros
nlp.parameter @head.weight : tensor<256x64xf32> init normal scale 0.02 {decay}
nlp.parameter @head.bias : tensor<256xf32> init zeros

nlp.step @train attributes {
    model = #nlp.model<name = "mlp", global_batch = 16, seq_len = 32, vocab_size = 256>} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<16x32xi32>
    %targets = nlp.input targets : tensor<16x32xi32>
    %table = nlp.read @embedding : tensor<256x32xf32>
    %fw = nlp.read @fc.weight : tensor<64x32xf32>
    %fb = nlp.read @fc.bias : tensor<64xf32>
    %hw = nlp.read @head.weight : tensor<256x64xf32>
    %hb = nlp.read @head.bias : tensor<256xf32>
    %e = nlp.embedding %table, %ids : tensor<256x32xf32>, tensor<16x32xi32>
    // [sequences * tokens, width]
    %x = nlp.reshape %e : tensor<16x32x32xf32> -> tensor<512x32xf32>
    %h = nlp.linear %x, %fw bias %fb layout out_in
        : tensor<512x32xf32>, tensor<64x32xf32>, tensor<64xf32>
    %g = nlp.gelu tanh %h : tensor<512x64xf32>
    %y = nlp.linear %g, %hw bias %hb layout out_in
        : tensor<512x64xf32>, tensor<256x64xf32>, tensor<256xf32>
    %logits = nlp.reshape %y : tensor<512x256xf32> -> tensor<16x32x256xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 512.0
        : tensor<16x32x256xf32>, tensor<16x32xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}

//===- ConfigFields.cpp - Fields that leave a training graph alone --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field belongs here only if no value of it changes the forward graph, the
// loss or the gradients of a causal language model in any family. Fields that
// one family reads and others do not have stay out.
//
//===----------------------------------------------------------------------===//

#include "ConfigReader.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

bool nlp::isFieldWithoutEffect(StringRef key) {
  static const StringSet<> names = {
      // Where the file comes from, and which code of others reads it.
      "_attn_implementation", "_attn_implementation_autoset",
      "_attn_implementation_internal", "_commit_hash", "_name_or_path", "_note",
      "architectures", "auto_map", "custom_pipelines", "finetuning_task",
      "model_type", "name_or_path", "tokenizer_class", "transformers_version",
      "unsloth_fixed", "unsloth_version",
      // Types and kernels: the plan decides on them.
      "attn_implementation", "dtype", "gradient_checkpointing", "low_cpu_mem",
      "torch_dtype", "torchscript", "use_bfloat16", "use_flash_attention",
      "use_flash_attn",
      // What a Python call returns or caches.
      "cache_implementation", "output_attentions", "output_hidden_states",
      "output_scores", "return_dict", "return_dict_in_generate", "use_cache",
      "use_return_dict",
      // Ids of special tokens; the data loader knows none.
      "bos_token_id", "decoder_start_token_id", "eos_token_id",
      "forced_bos_token_id", "forced_eos_token_id", "mask_token_id",
      "pad_token_id", "sep_token_id", "unk_token_id",
      // Defaults for generation.
      "bad_words_ids", "begin_suppress_tokens", "diversity_penalty",
      "do_sample", "early_stopping", "encoder_no_repeat_ngram_size",
      "exponential_decay_length_penalty", "length_penalty", "max_length",
      "max_new_tokens", "min_length", "no_repeat_ngram_size", "num_beam_groups",
      "num_beams", "num_return_sequences", "prefix", "remove_invalid_values",
      "repetition_penalty", "suppress_tokens", "task_specific_params",
      "temperature", "top_k", "top_p", "typical_p",
      // Serving.
      "attention_sink_size", "context_window_size", "prefill_chunk_size",
      // Heads of other tasks.
      "classifier_dropout", "id2label", "label2id", "num_labels",
      "problem_type", "summary_activation", "summary_first_dropout",
      "summary_hidden_size", "summary_proj_to_labels", "summary_type",
      "summary_use_proj",
      // Computes the same in pieces.
      "chunk_size_feed_forward", "pretraining_tp",
      // Says what the class says already.
      "is_decoder", "n_special", "predict_special_tokens", "tf_legacy_loss"};
  return names.contains(key);
}

//===- Describe.cpp - What a training program says of itself -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Describe.h"
#include "core/DType.h"
#include "core/Support.h"
#include <nlohmann/json.hpp>

namespace nlprt {

int64_t countParameters(const nlprt_program &program) {
  int64_t count = 0;
  for (int64_t i = 0; i < program.parameter_count; ++i) {
    const nlprt_tensor &tensor = program.parameters[i].tensor;
    if (int64_t width = dtypeBytes(tensor.dtype))
      count += tensor.bytes / width;
  }
  return count;
}

static long long printable(int64_t value) { return value; }

std::string describeProgram(const nlprt_program &program) {
  int64_t parameterBytes = 0, stateBytes = 0;
  for (int64_t i = 0; i < program.parameter_count; ++i)
    parameterBytes += program.parameters[i].tensor.bytes;
  for (int64_t i = 0; i < program.state_count; ++i)
    stateBytes += program.states[i].bytes;
  std::string text;
  auto row = [&](const char *name, const std::string &value) {
    text += format("%-12s %s\n", name, value.c_str());
  };
  row("model", program.model);
  row("parameters",
      format("%lld in %lld tensors, ", printable(countParameters(program)),
             printable(program.parameter_count)) +
          formatBytes(parameterBytes));
  row("state", format("%lld tensors, ", printable(program.state_count)) +
                   formatBytes(stateBytes));
  row("arena", formatBytes(program.arena_bytes));
  row("batch",
      format("%lld sequences of %lld tokens, %lld at a time",
             printable(program.global_batch), printable(program.seq_len),
             printable(program.micro_batch)));
  row("vocabulary", format("%lld", printable(program.vocab_size)));
  row("threads", format("%lld at most", printable(program.planned_threads)));
  std::string runs;
  for (int64_t i = 0; i < program.run_count; ++i) {
    const nlprt_run &run = program.runs[i];
    runs +=
        format("%s%s(%lld)", i ? " " : "", program.segments[run.segment].name,
               printable(run.micro_batch));
    if (i == 15 && program.run_count > 16) {
      runs += format(" and %lld more", printable(program.run_count - 16));
      break;
    }
  }
  row("step", runs);
  return text + describePlan(program);
}

std::string describePlan(const nlprt_program &program) {
  const char *plan = program.plan_json ? program.plan_json : "";
  auto parsed = nlohmann::ordered_json::parse(plan, nullptr, false);
  return (parsed.is_discarded() ? plan : parsed.dump(2)) + "\n";
}

} // namespace nlprt

//===- TrainingRun.cpp - Runs steps on data, as a training binary does ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/TrainingRun.h"
#include "nlp/Reference/SafeTensors.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "nlprt/counter_random.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace nlp;
using namespace nlp::ref;

static constexpr int64_t maxDataBytes = int64_t(4) << 30;

/// The tokens of a file: two bytes each in a .bin file, else one.
static Expected<std::vector<int64_t>> readTokens(StringRef path) {
  Expected<std::string> file = readFile(path, maxDataBytes);
  if (!file)
    return file.takeError();
  std::vector<int64_t> tokens;
  if (!path.ends_with(".bin")) {
    for (char byte : *file)
      tokens.push_back(static_cast<uint8_t>(byte));
    return tokens;
  }
  if (file->size() % 2 != 0)
    return makeError(path + ": expected tokens of 2 bytes, but got " +
                     Twine(file->size()) + " bytes");
  for (size_t i = 0; i < file->size(); i += 2)
    tokens.push_back(support::endian::read16le(file->data() + i));
  return tokens;
}

/// `count` ids below `vocabulary`.
static std::vector<int64_t> drawTokens(uint64_t seed, int64_t count,
                                       int64_t vocabulary) {
  uint64_t key = nlprt_mix(seed, nlprt_hash_name("random tokens"));
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < count; ++i)
    tokens.push_back(nlprt_draw(key, i) % vocabulary);
  return tokens;
}

Expected<TokenStream> TokenStream::open(const RunOptions &options,
                                        const StepInterpreter &interpreter) {
  TokenStream stream;
  stream.sequences = interpreter.getSequences();
  stream.length = interpreter.getLength();
  stream.ignoreEvery = options.ignoreEvery;
  int64_t vocabulary = interpreter.getVocabulary();
  if (options.data.empty()) {
    stream.tokens = drawTokens(
        options.seed, options.steps * stream.sequences * stream.length + 1,
        vocabulary);
    return stream;
  }
  Expected<std::vector<int64_t>> tokens = readTokens(options.data);
  if (!tokens)
    return tokens.takeError();
  if (static_cast<int64_t>(tokens->size()) < stream.length + 1)
    return makeError(options.data + ": expected at least " +
                     Twine(stream.length + 1) + " tokens, but got " +
                     Twine(tokens->size()));
  auto largest = std::max_element(tokens->begin(), tokens->end());
  if (*largest >= vocabulary)
    return makeError(options.data + ": expected token ids from 0 to " +
                     Twine(vocabulary - 1) + ", but got " + Twine(*largest));
  stream.tokens = std::move(*tokens);
  return stream;
}

Batch TokenStream::read(int64_t step) const {
  Batch batch{sequences, length, {}, {}};
  if (sequences == 0)
    return batch;
  int64_t available = (tokens.size() - 1) / length;
  for (int64_t b = 0; b < sequences; ++b) {
    int64_t first = ((step - 1) * sequences + b) % available * length;
    for (int64_t t = 0; t < length; ++t) {
      batch.tokens.push_back(tokens[first + t]);
      int64_t number = batch.tokens.size();
      bool ignored = ignoreEvery > 0 && number % ignoreEvery == 0;
      batch.targets.push_back(ignored ? -1 : tokens[first + t + 1]);
    }
  }
  return batch;
}

/// The learning rate of `step`, from 1: in equal parts up to the peak at step
/// `warmup`, then along the schedule.
static double getLearningRate(const RunOptions &options, int64_t step) {
  double peak = options.hyper.learningRate;
  int64_t warmup = options.warmup >= 0
                       ? options.warmup
                       : std::min<int64_t>(options.steps / 20, 2000);
  if (step < warmup)
    return peak * step / warmup;
  double rest = std::max<int64_t>(options.steps - warmup, 1);
  double done =
      std::clamp(static_cast<double>(step - 1 - warmup), 0.0, rest) / rest;
  switch (options.schedule) {
  case ScheduleKind::Cosine:
    return peak * (0.1 + 0.9 * (1.0 + std::cos(M_PI * done)) / 2.0);
  case ScheduleKind::Linear:
    return peak * (1.0 - done);
  case ScheduleKind::Constant:
    return peak;
  case ScheduleKind::WarmupStableDecay:
    return done < 0.8 ? peak : peak * (1.0 - done) / 0.2;
  }
  llvm_unreachable("all schedules are above");
}

Expected<StepInterpreter> nlp::ref::prepareRun(mlir::ModuleOp module,
                                               const RunOptions &options) {
  FailureOr<StepInterpreter> interpreter =
      StepInterpreter::create(module, options.seed, options.rounding);
  if (failed(interpreter))
    return makeError("cannot interpret this module");
  if (!options.weights.empty())
    if (Error error =
            loadWeights(options.weights, interpreter->getParameters()))
      return error;
  return std::move(*interpreter);
}

StepInput nlp::ref::getStepInput(const RunOptions &options,
                                 const TokenStream &stream, int64_t step) {
  StepInput input{step, options.seed, options.hyper, stream.read(step)};
  input.hyper.learningRate = getLearningRate(options, step);
  return input;
}

/// Trains on `input`, or evaluates it.
static FailureOr<Figures> runStep(StepInterpreter &interpreter,
                                  const StepInput &input, bool evaluate) {
  if (!evaluate)
    return interpreter.run(input);
  FailureOr<double> loss = interpreter.computeEvaluationLoss(input);
  if (failed(loss))
    return failure();
  return Figures{*loss, std::nullopt};
}

Expected<RunResult>
nlp::ref::runTraining(mlir::ModuleOp module, const RunOptions &options,
                      function_ref<void(const StepRecord &)> report) {
  Expected<StepInterpreter> interpreter = prepareRun(module, options);
  if (!interpreter)
    return interpreter.takeError();
  Expected<TokenStream> stream = TokenStream::open(options, *interpreter);
  if (!stream)
    return stream.takeError();
  RunResult result;
  for (int64_t step = 1; step <= options.steps; ++step) {
    StepInput input = getStepInput(options, *stream, step);
    FailureOr<Figures> figures = runStep(*interpreter, input, options.evaluate);
    if (failed(figures))
      return makeError("step " + Twine(step) + " failed");
    result.steps.push_back({step, input.hyper.learningRate, *figures});
    report(result.steps.back());
    if (step == 1)
      result.firstGradients = interpreter->getGradients();
  }
  result.parameters = interpreter->getParameters();
  return result;
}

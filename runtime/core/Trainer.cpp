//===- Trainer.cpp - A training run from start to end -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop: read a batch, run the step's segments, check the figures, report;
// evaluate and save when due. A step whose loss is not finite ends the run
// before anything of it is saved.
//
//===----------------------------------------------------------------------===//

#include "core/Trainer.h"
#include "core/AtomicFile.h"
#include "core/Weights.h"
#include <cmath>
#include <cstdio>

namespace nlprt {

static long long printable(int64_t value) { return value; }

Trainer::Trainer(const nlprt_program &program, const Options &options,
                 const std::string &name)
    : program(program), options(options), name(name),
      data(options.data, program.vocab_size),
      order(data, options.data, program.seq_len, options.shuffled,
            options.seed),
      context(options.threads),
      arena(program.arena_bytes, program.arena_alignment),
      runner(program, &context, arena.data()), board(options.tensorboard) {
  if (!options.evalData.empty()) {
    if (!runner.canEvaluate())
      throw Error("--eval-data: this program was compiled without an "
                  "evaluation");
    evaluation = std::make_unique<Evaluation>(program, options.evalData,
                                              options.evalBatches);
  }
  for (const std::string &path : {options.save, options.trace})
    if (!path.empty())
      checkWritable(path);
  if (!options.trace.empty()) {
    trace = std::make_unique<Trace>();
    context.trace = trace.get();
  }
  loadModel();
  metrics = std::make_unique<Metrics>(options.metrics, begin);
  tokens.resize(program.global_batch * (program.seq_len + 1));
}

void Trainer::warn(const std::string &text) const {
  std::fprintf(stderr, "%s: warning: %s\n", name.c_str(),
               printable(text).c_str());
}

RunSettings Trainer::settings() const {
  auto number = [](double value) { return format("%.9g", value); };
  return {{"--steps", std::to_string(options.steps)},
          {"--lr", number(options.schedule.peak)},
          {"--warmup", std::to_string(options.schedule.warmup)},
          {"--schedule", scheduleName(options.schedule.kind)},
          {"--weight-decay", number(options.weightDecay)},
          {"--beta1", number(options.beta1)},
          {"--beta2", number(options.beta2)},
          {"--eps", number(options.epsilon)},
          {"--momentum", number(options.momentum)},
          {"--max-grad-norm", number(options.maxGradNorm)},
          {"--seed", std::to_string(options.seed)},
          {"--data-order", options.shuffled ? "shuffled" : "sequential"},
          {"tokens of --data", std::to_string(data.tokens())},
          {"global batch", std::to_string(program.global_batch)},
          {"sequence length", std::to_string(program.seq_len)}};
}

/// Parameters from a checkpoint, a weight file or the generator; state zero.
void Trainer::loadModel() {
  if (!options.checkpointDir.empty()) {
    checkpoints = std::make_unique<Checkpoints>(
        program, arena.data(), options.checkpointDir, settings());
    if (int64_t newest = checkpoints->newest(); newest && !options.resume)
      throw Error(options.checkpointDir + ": holds a checkpoint of step " +
                  std::to_string(newest) +
                  ": add --resume to go on from it, or name another folder");
  }
  if (options.resume) {
    std::vector<std::string> warnings;
    begin = checkpoints->resume(warnings);
    for (const std::string &warning : warnings)
      warn(warning);
    if (begin == 0 && checkpoints->newest() > 0)
      throw Error(options.checkpointDir + ": no checkpoint is whole");
    if (begin == 0)
      std::fprintf(stderr, "%s: no checkpoint in %s: starting at step 1\n",
                   name.c_str(), options.checkpointDir.c_str());
    else if (!options.weights.empty())
      warn("--weights is not read: the weights are those of the checkpoint of "
           "step " +
           std::to_string(begin));
  }
  checkpointed = begin;
  if (begin > 0)
    return;
  if (options.weights.empty())
    initializeParameters(program, arena.data(), options.seed);
  else
    for (const std::string &note :
         loadWeights(program, arena.data(), options.weights))
      warn(note);
}

Hyperparameters Trainer::hyperparameters(int64_t step) const {
  return {learningRate(options.schedule, step, options.steps),
          options.beta1,
          options.beta2,
          options.epsilon,
          options.weightDecay,
          options.momentum,
          options.maxGradNorm,
          options.seed};
}

void Trainer::trainStep(int64_t step) {
  double start = secondsNow();
  int64_t batch = program.global_batch, row = program.seq_len + 1;
  for (int64_t b = 0; b < batch; ++b)
    order.read((step - 1) * batch + b, tokens.data() + b * row);
  Hyperparameters hyper = hyperparameters(step);
  Figures figures = runner.train(step, hyper, tokens.data());
  double taken = secondsNow() - start;
  bool bad = figures.hasGradNorm && !std::isfinite(figures.gradNorm);
  if (bad || !std::isfinite(figures.loss)) {
    std::string text =
        format("step %lld: the %s is %g", printable(step),
               std::isfinite(figures.loss) ? "gradient's norm" : "loss",
               std::isfinite(figures.loss) ? figures.gradNorm : figures.loss);
    text += format("; a smaller --lr (now %g) may help", hyper.learningRate);
    if (checkpointed > 0)
      text += format("; the checkpoint of step %lld is untouched",
                     printable(checkpointed));
    throw Error(text);
  }
  loss = figures.loss;
  seconds += taken;
  double rate = static_cast<double>(batch * program.seq_len) / taken;
  StepMetrics line = {step,  loss, figures.gradNorm, hyper.learningRate,
                      taken, rate, arena.bytes()};
  metrics->step(line);
  board.step(line);
  curve->add(step, loss);
  progress->step(step, loss, hyper.learningRate, rate);
}

void Trainer::evaluate(int64_t step) {
  if (!evaluation || evaluated == step)
    return;
  evaluationLoss = evaluation->run(runner, step, hyperparameters(step));
  evaluated = step;
  if (!std::isfinite(evaluationLoss))
    throw Error(format("step %lld: the loss on held-out data is %g",
                       printable(step), evaluationLoss));
  metrics->evaluation(step, evaluationLoss);
  progress->evaluation(step, evaluationLoss);
  board.evaluation(step, evaluationLoss);
}

void Trainer::checkpoint(int64_t step) {
  if (!checkpoints || checkpointed == step)
    return;
  checkpoints->write(step);
  checkpointed = step;
}

/// What is due at the end of a run that was not interrupted.
void Trainer::finish(int64_t step) {
  evaluate(step);
  checkpoint(step);
  if (!options.save.empty())
    saveWeights(program, arena.data(), options.save);
}

/// After a signal: saves and says how to go on. Schedulers start a run that
/// ends with exitResume again: one that saved nothing would begin anew for
/// ever.
int Trainer::stop(int64_t step) {
  checkpoint(step);
  progress->clear();
  if (!checkpoints) {
    std::fprintf(stderr,
                 "%s: interrupted after step %lld; nothing saved, for want of "
                 "--checkpoint-dir\n",
                 name.c_str(), printable(step));
    return exitFailed;
  }
  std::fprintf(stderr,
               "%s: interrupted after step %lld; checkpoint in %s: add "
               "--resume to go on\n",
               name.c_str(), printable(step), options.checkpointDir.c_str());
  return exitResume;
}

int Trainer::run() {
  printStart();
  progress = std::make_unique<Progress>(begin + 1, options.steps);
  curve = std::make_unique<LossCurve>(begin + 1, options.steps);
  auto due = [](int64_t step, int64_t every) {
    return every > 0 && step % every == 0;
  };
  int64_t step = begin;
  while (step < options.steps && !signals.received()) {
    trainStep(++step);
    if (due(step, options.evalEvery))
      evaluate(step);
    if (due(step, options.checkpointEvery))
      checkpoint(step);
    if (step == begin + 1)
      residentAtFirst = residentAnonymous();
  }
  int64_t residentAtLast = residentAnonymous();
  residentAtFirst = residentAtFirst ? residentAtLast - residentAtFirst : 0;
  bool interrupted = step < options.steps;
  int code = exitDone;
  if (interrupted)
    code = stop(step);
  else
    finish(step);
  progress->clear();
  if (trace)
    trace->write(options.trace);
  printSummary(step);
  return code;
}

} // namespace nlprt

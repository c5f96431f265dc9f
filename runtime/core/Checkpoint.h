//===- Checkpoint.h - Runs that can go on -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is a folder step-00000100 with weights.safetensors,
// state.safetensors and run.json, which holds the step, the options that shape
// the run, and size and fingerprint of the other files. All draws and the order
// of the data are functions of seed and step, so nothing else is state. It is
// written under another name and renamed when all of it is on the disk; the
// newest two are kept.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_CHECKPOINT_H
#define NLPRT_CORE_CHECKPOINT_H

#include "core/FolderLock.h"
#include "nlprt/nlprt.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nlprt {

/// What a run was told, as text by option name; compared on resume.
using RunSettings = std::map<std::string, std::string>;

class Checkpoints {
public:
  /// Creates the folder if need be, and locks it. Throws Error.
  Checkpoints(const nlprt_program &program, char *arena,
              const std::string &folder, RunSettings settings);

  /// Step of the newest checkpoint, damaged or not; 0 if there is none.
  int64_t newest() const;

  /// Saves parameters and state after `step`. Throws Error and leaves what was
  /// there before if it cannot, or if one of them is not finite.
  void write(int64_t step);

  /// Loads the newest whole checkpoint and returns its step, 0 if there is
  /// none. Adds damaged ones and settings that differ to `warnings`. Throws
  /// Error if the checkpoint is of another model.
  int64_t resume(std::vector<std::string> &warnings);

private:
  std::string nameOf(int64_t step) const;
  std::vector<int64_t> steps() const; // ascending
  void prune(int64_t step) const;
  void load(int64_t step, std::vector<std::string> &warnings);

  const nlprt_program &program;
  char *arena;
  std::string folder;
  RunSettings settings;
  std::optional<FolderLock> lock;
};

} // namespace nlprt

#endif // NLPRT_CORE_CHECKPOINT_H

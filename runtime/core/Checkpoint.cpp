//===- Checkpoint.cpp - Runs that can go on -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors go from the arena to the files and back without a copy in between. A
// checkpoint is verified as a whole before the first byte of it is loaded.
//
//===----------------------------------------------------------------------===//

#include "core/Checkpoint.h"
#include "core/DType.h"
#include "core/Finite.h"
#include "core/MappedFile.h"
#include "core/SafeTensors.h"
#include "core/Weights.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace nlprt {

namespace fs = std::filesystem;
using Json = nlohmann::json;

static constexpr const char *weightsName = "weights.safetensors";
static constexpr const char *stateName = "state.safetensors";
static constexpr const char *runName = "run.json";
static constexpr const char *temporaryPrefix = ".writing-";

namespace {
/// A checkpoint that cannot be used, but an older one may do.
struct Damaged : Error {
  using Error::Error;
};
} // namespace

Checkpoints::Checkpoints(const nlprt_program &program, char *arena,
                         const std::string &folder, RunSettings settings)
    : program(program), arena(arena), folder(folder),
      settings(std::move(settings)) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    throw systemError(folder, "create the folder", code.value());
  checkWritable(folder + "/" + runName);
  lock.emplace(folder);
}

std::string Checkpoints::nameOf(int64_t step) const {
  return format("step-%08lld", static_cast<long long>(step));
}

std::vector<int64_t> Checkpoints::steps() const {
  std::vector<int64_t> found;
  std::error_code code;
  for (const auto &entry : fs::directory_iterator(folder, code)) {
    std::string name = entry.path().filename().string();
    int64_t step = 0;
    if (name.size() < 6 || !name.starts_with("step-"))
      continue;
    std::from_chars(name.data() + 5, name.data() + name.size(), step);
    if (step > 0 && name == nameOf(step))
      found.push_back(step);
  }
  std::sort(found.begin(), found.end());
  return found;
}

int64_t Checkpoints::newest() const {
  std::vector<int64_t> found = steps();
  return found.empty() ? 0 : found.back();
}

/// Removes older checkpoints, later ones of a run that was given up, and what
/// an interrupted write left.
void Checkpoints::prune(int64_t step) const {
  std::error_code ignored;
  std::vector<int64_t> found = steps();
  auto current = std::find(found.begin(), found.end(), step);
  for (auto it = found.begin(); it != found.end(); ++it)
    if (it + 1 < current || it > current)
      fs::remove_all(folder + "/" + nameOf(*it), ignored);
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(temporaryPrefix))
      fs::remove_all(entry.path(), ignored);
}

static Json writeTensors(const std::string &path,
                         std::span<const nlprt_tensor> tensors,
                         const char *arena) {
  AtomicFile file(path);
  writeSafeTensors(file, tensors, arena);
  file.commit();
  return {{"bytes", fs::file_size(path)},
          {"digest", format("%016llx", (unsigned long long)file.digest())}};
}

void Checkpoints::write(int64_t step) {
  std::string temporary = folder + "/" + temporaryPrefix + nameOf(step);
  std::string final = folder + "/" + nameOf(step);
  std::vector<nlprt_tensor> parameters = parameterTensors(program);
  std::span<const nlprt_tensor> states(program.states, program.state_count);
  checkFinite(final, parameters, arena);
  checkFinite(final, states, arena);
  std::error_code code;
  fs::remove_all(temporary, code);
  fs::create_directory(temporary, code);
  if (code)
    throw systemError(temporary, "create the folder", code.value());
  try {
    Json run = {{"version", 1},
                {"model", program.model},
                {"step", step},
                {"sequences", step * program.global_batch},
                {"settings", settings}};
    run["files"][weightsName] =
        writeTensors(temporary + "/" + weightsName, parameters, arena);
    run["files"][stateName] =
        writeTensors(temporary + "/" + stateName, states, arena);
    AtomicFile file(temporary + "/" + runName);
    // A model's name may hold anything.
    file.write(run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    file.commit();
    syncFolder(temporary);
    // A damaged checkpoint of this step may be in the way.
    fs::remove_all(final, code);
    fs::rename(temporary, final, code);
    if (code)
      throw systemError(final, "rename the checkpoint to this name",
                        code.value());
    syncFolder(folder);
  } catch (...) {
    fs::remove_all(temporary, code);
    throw;
  }
  prune(step);
}

/// Maps one of a checkpoint's files and checks it against run.json.
static MappedFile openChecked(const std::string &path, const Json &expected) {
  try {
    MappedFile file(path);
    Digest digest;
    digest.update(file.data(), file.size());
    std::string got = format("%016llx", (unsigned long long)digest.value());
    if (file.size() != expected.at("bytes").get<uint64_t>() ||
        got != expected.at("digest").get<std::string>())
      throw Damaged(path + ": the content is not what was written");
    return file;
  } catch (const Json::exception &) {
    throw Damaged(path + ": run.json does not describe this file");
  } catch (const Error &error) {
    throw Damaged(error.what());
  }
}

/// Checks that a file holds exactly these tensors.
static SafeTensorMap matchTensors(const std::string &path,
                                  const MappedFile &file,
                                  std::span<const nlprt_tensor> tensors) {
  SafeTensorMap found = parseSafeTensors({file.data(), file.size()});
  for (const nlprt_tensor &tensor : tensors) {
    std::span<const int64_t> shape(tensor.shape, tensor.rank);
    std::string wanted = describeTensor(dtypeName(tensor.dtype), shape);
    auto entry = found.find(tensor.name);
    std::string got =
        entry == found.end()
            ? "nothing"
            : describeTensor(entry->second.dtype, entry->second.shape);
    if (got != wanted)
      throw Error(path + ": expected " + tensor.name + " to be " + wanted +
                  ", but got " + got +
                  ": the checkpoint is of another model or optimizer");
  }
  if (found.size() != tensors.size())
    throw Error(path + ": expected " + std::to_string(tensors.size()) +
                " tensors, but got " + std::to_string(found.size()) +
                ": the checkpoint is of another model or optimizer");
  return found;
}

static void copyTensors(const SafeTensorMap &from,
                        std::span<const nlprt_tensor> tensors, char *arena) {
  for (const nlprt_tensor &tensor : tensors)
    std::copy_n(from.find(tensor.name)->second.data, tensor.bytes,
                arena + tensor.offset);
}

void Checkpoints::load(int64_t step, std::vector<std::string> &warnings) {
  std::string base = folder + "/" + nameOf(step) + "/";
  RunSettings before;
  MappedFile weightsFile, stateFile;
  try {
    MappedFile file(base + runName);
    Json run = Json::parse(file.data(), file.data() + file.size());
    if (run.at("version") != 1 || run.at("step") != step)
      throw Damaged(base + runName + ": expected version 1 and step " +
                    std::to_string(step));
    before = run.at("settings").get<RunSettings>();
    const Json &files = run.at("files");
    weightsFile = openChecked(base + weightsName, files.at(weightsName));
    stateFile = openChecked(base + stateName, files.at(stateName));
  } catch (const Json::exception &error) {
    throw Damaged(base + runName + ": " + error.what());
  } catch (const Damaged &) {
    throw;
  } catch (const Error &error) {
    throw Damaged(error.what());
  }
  std::vector<nlprt_tensor> parameters = parameterTensors(program);
  std::span<const nlprt_tensor> states(program.states, program.state_count);
  auto weights = matchTensors(base + weightsName, weightsFile, parameters);
  auto state = matchTensors(base + stateName, stateFile, states);
  copyTensors(weights, parameters, arena);
  copyTensors(state, states, arena);
  for (const auto &[name, value] : settings)
    if (before[name] != value)
      warnings.push_back("the run goes on with " + name + " " + value +
                         "; until step " + std::to_string(step) + " it was " +
                         (before[name].empty() ? "unknown" : before[name]));
}

int64_t Checkpoints::resume(std::vector<std::string> &warnings) {
  std::vector<int64_t> found = steps();
  for (auto step = found.rbegin(); step != found.rend(); ++step) {
    try {
      load(*step, warnings);
      return *step;
    } catch (const Damaged &damage) {
      warnings.push_back(std::string("skipped a damaged checkpoint: ") +
                         damage.what());
    }
  }
  return 0;
}

} // namespace nlprt

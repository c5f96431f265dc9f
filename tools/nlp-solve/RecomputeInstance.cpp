//===- RecomputeInstance.cpp - Straight-line programs as JSON -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes: the first defines every value, the second looks up what ops,
// aliases and results name, so that an error can tell a value that comes too
// late from one that does not exist.
//
//===----------------------------------------------------------------------===//

#include "RecomputeInstance.h"
#include "nlp/Support/Json.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <unordered_map>

using namespace llvm;
using namespace nlp;

/// More bytes than any machine has, and more seconds; sums of many stay exact.
static constexpr int64_t maxNumber = int64_t(1) << 56;

namespace {
class Reader {
public:
  Error read(const JsonValue &root);

  RecomputeInstance instance;

private:
  Error defineValue(const JsonValue &json, int32_t producer);
  Error readOp(const JsonValue &json);
  Error readInputs(const JsonValue &json, int32_t op);
  Error readAlias(int32_t value, const JsonValue &json);
  Error readResults(const JsonValue &json);
  Error expectArray(const JsonValue &json) const;
  Expected<int32_t> findValue(const JsonValue &id) const;

  /// "value 7 of op 3 ('relu')", "constant 7".
  std::string describe(int32_t value) const;
  std::string describeOp(int32_t op) const;

  std::unordered_map<int64_t, int32_t> values; // by id
  std::vector<int32_t> producers;              // -1 for constants
  std::vector<JsonValue> places;               // of each value
};
} // namespace

std::string Reader::describeOp(int32_t op) const {
  return "op " + std::to_string(op) + " ('" + instance.opNames[op] + "')";
}

std::string Reader::describe(int32_t value) const {
  std::string id = std::to_string(instance.ids[value]);
  if (producers[value] < 0)
    return "constant " + id;
  return "value " + id + " of " + describeOp(producers[value]);
}

Error Reader::expectArray(const JsonValue &json) const {
  return json.isArray() ? Error::success() : json.unexpected("an array");
}

/// Defines the constant or output `json`.
Error Reader::defineValue(const JsonValue &json, int32_t producer) {
  int64_t id;
  if (Error error = json.read("id", id))
    return error;
  auto index = static_cast<int32_t>(places.size());
  auto [found, isNew] = values.try_emplace(id, index);
  if (!isNew)
    return json.error("expected each id once, but " + describe(found->second) +
                      " has it already");
  instance.ids.push_back(id);
  producers.push_back(producer);
  places.push_back(json);
  Expected<JsonValue> field = json.get("bytes");
  if (!field)
    return field.takeError();
  Expected<int64_t> bytes = field->asIntIn(0, maxNumber);
  if (!bytes)
    return bytes.takeError();
  instance.problem.values.push_back({*bytes, std::nullopt});
  return Error::success();
}

/// Reads an op's own numbers and defines its outputs.
Error Reader::readOp(const JsonValue &json) {
  auto index = static_cast<int32_t>(instance.problem.ops.size());
  std::string name;
  if (Error error = json.read("name", name))
    return error;
  instance.opNames.push_back(name);
  solver::ProgramOp op;
  Expected<JsonValue> seconds = json.get("seconds");
  if (!seconds)
    return seconds.takeError();
  if (Error error = json.read("seconds", op.seconds))
    return error;
  if (!(op.seconds >= 0 && op.seconds <= static_cast<double>(maxNumber)))
    return seconds->unexpected("a number from 0 to 2^56");
  if (std::optional<JsonValue> field = json.find("can_repeat")) {
    Expected<bool> canRepeat = field->asBool();
    if (!canRepeat)
      return canRepeat.takeError();
    op.canRepeat = *canRepeat;
  }
  Expected<JsonValue> inputs = json.get("inputs");
  if (!inputs)
    return inputs.takeError();
  if (Error error = expectArray(*inputs))
    return error;
  Expected<JsonValue> outputs = json.get("outputs");
  if (!outputs)
    return outputs.takeError();
  if (Error error = expectArray(*outputs))
    return error;
  for (size_t i = 0; i < outputs->size(); ++i) {
    op.outputs.push_back(static_cast<int32_t>(places.size()));
    if (Error error = defineValue(outputs->at(i), index))
      return error;
  }
  instance.problem.ops.push_back(std::move(op));
  return Error::success();
}

Expected<int32_t> Reader::findValue(const JsonValue &json) const {
  Expected<int64_t> id = json.asInt();
  if (!id)
    return id.takeError();
  auto found = values.find(*id);
  if (found == values.end())
    return json.error("expected the id of a value, but there is no value " +
                      Twine(*id));
  return found->second;
}

Error Reader::readInputs(const JsonValue &json, int32_t op) {
  Expected<JsonValue> inputs = json.get("inputs");
  if (!inputs)
    return inputs.takeError();
  for (size_t i = 0; i < inputs->size(); ++i) {
    Expected<int32_t> input = findValue(inputs->at(i));
    if (!input)
      return input.takeError();
    if (producers[*input] >= op)
      return inputs->at(i).error("expected an input of " + describeOp(op) +
                                 " that is made before it, but got " +
                                 describe(*input));
    instance.problem.ops[op].inputs.push_back(*input);
  }
  return Error::success();
}

/// Reads what the value shares bytes with, if anything.
Error Reader::readAlias(int32_t value, const JsonValue &json) {
  std::optional<JsonValue> field = json.find("alias_of");
  if (!field)
    return Error::success();
  Expected<int32_t> target = findValue(*field);
  if (!target)
    return target.takeError();
  if (*target == value)
    return field->error("expected bytes of another value, but " +
                        describe(value) + " names itself");
  // What is aliased has been read before, so that chains are short: each value
  // names the one whose bytes they are.
  if (producers[*target] > producers[value] || *target > value)
    return field->error("expected bytes of a value that is made before " +
                        describe(value) + ", but got " + describe(*target));
  std::vector<solver::ProgramValue> &all = instance.problem.values;
  int32_t root = all[*target].aliasOf.value_or(*target);
  if (all[value].bytes > all[root].bytes)
    return json.error("expected at most the " + Twine(all[root].bytes) +
                      " bytes of " + describe(root) + ", which " +
                      describe(value) + " lies in, but got " +
                      Twine(all[value].bytes));
  all[value].aliasOf = root;
  return Error::success();
}

Error Reader::readResults(const JsonValue &json) {
  if (Error error = expectArray(json))
    return error;
  std::vector<bool> isResult(places.size());
  for (size_t i = 0; i < json.size(); ++i) {
    Expected<int32_t> result = findValue(json.at(i));
    if (!result)
      return result.takeError();
    if (!isResult[*result])
      instance.problem.results.push_back(*result);
    isResult[*result] = true;
  }
  return Error::success();
}

Error Reader::read(const JsonValue &root) {
  Expected<JsonValue> constants = root.get("constants");
  if (!constants)
    return constants.takeError();
  if (Error error = expectArray(*constants))
    return error;
  for (size_t i = 0; i < constants->size(); ++i)
    if (Error error = defineValue(constants->at(i), -1))
      return error;
  Expected<JsonValue> ops = root.get("ops");
  if (!ops)
    return ops.takeError();
  if (Error error = expectArray(*ops))
    return error;
  for (size_t i = 0; i < ops->size(); ++i)
    if (Error error = readOp(ops->at(i)))
      return error;
  for (size_t i = 0; i < ops->size(); ++i)
    if (Error error = readInputs(ops->at(i), static_cast<int32_t>(i)))
      return error;
  for (size_t i = 0; i < places.size(); ++i)
    if (Error error = readAlias(static_cast<int32_t>(i), places[i]))
      return error;
  Expected<JsonValue> results = root.get("results");
  if (!results)
    return results.takeError();
  if (Error error = readResults(*results))
    return error;
  instance.problem.firstFixed =
      static_cast<int32_t>(instance.problem.ops.size());
  if (std::optional<std::string> message = instance.problem.check())
    return root.error(*message);
  return Error::success();
}

Expected<RecomputeInstance> nlp::readRecomputeInstance(StringRef path) {
  JsonLimits limits;
  limits.maxBytes = 256 << 20;
  Expected<JsonDocument> document = readJsonFile(path, limits);
  if (!document)
    return document.takeError();
  Reader reader;
  if (Error error = reader.read(document->root()))
    return error;
  return std::move(reader.instance);
}

std::string nlp::printSchedule(const RecomputeInstance &instance,
                               const solver::RecomputeSolution &solution) {
  std::string text;
  raw_string_ostream out(text);
  out << "{\"schedule\": [";
  ListSeparator lines(",");
  for (const solver::ScheduledOp &step : solution.schedule) {
    std::vector<int64_t> ids;
    for (int32_t value : step.freeAfter)
      ids.push_back(instance.ids[value]);
    llvm::sort(ids);
    out << lines << "\n  {\"op\": " << step.op << ", \"free_after\": [";
    interleaveComma(ids, out);
    out << "]}";
  }
  // As many digits as bring the same number back.
  out << "\n],\n\"seconds\": " << format("%.17g", solution.seconds)
      << ",\n\"peak_bytes\": " << solution.peakBytes
      << ",\n\"lower_bound_seconds\": "
      << format("%.17g", solution.bound.seconds) << "}\n";
  return text;
}

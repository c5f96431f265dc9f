//===- MachineFile.cpp - Machine files in and out ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and prints the schema of docs/Machine.md. Every field that is read is
// checked; a field that is not known is an error, since it is a misspelt one
// more often than not.
//
//===----------------------------------------------------------------------===//

#include "nlp/Machine/Machine.h"
#include "nlp/Support/Json.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace nlp;

static constexpr StringLiteral matrixTypes[] = {"f32",  "tf32", "f16",
                                                "bf16", "f8",   "i8"};

/// Rejects fields of `object` that are not among `known`.
static Error checkKeys(const JsonValue &object, ArrayRef<StringRef> known) {
  for (const std::string &key : object.keys())
    if (!is_contained(known, key))
      return object.error("expected one of the fields " + join(known, ", ") +
                          ", but got '" + key + "'");
  return Error::success();
}

using ParseText = Expected<int64_t> (*)(StringRef);

/// Reads the field `key`, a positive number of bytes or a text such as "80GiB"
/// or "3.35TB/s", which `parse` reads.
static Error readQuantity(const JsonValue &object, StringRef key,
                          ParseText parse, int64_t &out) {
  Expected<JsonValue> field = object.get(key);
  if (!field)
    return field.takeError();
  Expected<int64_t> value = 0;
  if (field->isString()) {
    value = parse(cantFail(field->asString()));
    if (!value)
      return field->error(toString(value.takeError()));
    if (*value <= 0)
      return field->unexpected("a size above 0");
  } else {
    value = field->asIntIn(1, std::numeric_limits<int64_t>::max());
    if (!value)
      return value.takeError();
  }
  out = *value;
  return Error::success();
}

/// Reads the field `key`, a finite number of `min` or more.
static Error readNumber(const JsonValue &object, StringRef key, double min,
                        double &out) {
  Expected<JsonValue> field = object.get(key);
  if (!field)
    return field.takeError();
  Expected<double> value = field->asDouble();
  if (!value)
    return value.takeError();
  if (!std::isfinite(*value) || *value < min)
    return field->unexpected(min > 0 ? "a number above 0"
                                     : "a number of 0 or more");
  out = *value;
  return Error::success();
}

/// As readNumber, above 0.
static Error readPositive(const JsonValue &object, StringRef key, double &out) {
  return readNumber(object, key, std::numeric_limits<double>::min(), out);
}

static Error readCount(const JsonValue &object, StringRef key, int64_t &out) {
  Expected<JsonValue> field = object.get(key);
  if (!field)
    return field.takeError();
  Expected<int64_t> value = field->asIntIn(1, 1 << 30);
  if (!value)
    return value.takeError();
  out = *value;
  return Error::success();
}

/// Reads the object `key` of the machine into `link`; absent where the machine
/// has no such link.
static Error readLink(const JsonValue &root, StringRef key, Link &link) {
  std::optional<JsonValue> object = root.find(key);
  if (!object)
    return Error::success();
  if (!object->isObject())
    return object->unexpected("an object with bandwidth and latency-seconds");
  if (Error error = checkKeys(*object, {"bandwidth", "latency-seconds"}))
    return error;
  if (Error error =
          readQuantity(*object, "bandwidth", parseRate, link.bytesPerSec))
    return error;
  return readNumber(*object, "latency-seconds", 0, link.latencySeconds);
}

static Error readDevice(const JsonValue &object, Device &device) {
  if (!object.isObject())
    return object.unexpected("an object that describes the device");
  if (Error error = checkKeys(object, {"kind", "memory", "memory-bandwidth",
                                       "matrix-flops", "vector-flops",
                                       "launch-seconds", "cores"}))
    return error;
  std::string kind;
  if (Error error = object.read("kind", kind))
    return error;
  if (kind != "cpu" && kind != "gpu")
    return cantFail(object.get("kind")).unexpected("\"cpu\" or \"gpu\"");
  device.kind = kind == "cpu" ? Device::Kind::CPU : Device::Kind::GPU;
  if (Error error =
          readQuantity(object, "memory", parseSize, device.memoryBytes))
    return error;
  if (Error error = readQuantity(object, "memory-bandwidth", parseRate,
                                 device.memoryBytesPerSec))
    return error;
  Expected<JsonValue> rates = object.get("matrix-flops");
  if (!rates)
    return rates.takeError();
  if (Error error =
          checkKeys(*rates, std::vector<StringRef>(std::begin(matrixTypes),
                                                   std::end(matrixTypes))))
    return error;
  double rate;
  if (Error error = readPositive(*rates, "f32", rate))
    return error;
  for (const std::string &type : rates->keys())
    if (Error error =
            readPositive(*rates, type, device.matrixFlopsPerSec[type]))
      return error;
  if (Error error =
          readPositive(object, "vector-flops", device.vectorFlopsPerSec))
    return error;
  if (Error error =
          readNumber(object, "launch-seconds", 0, device.launchSeconds))
    return error;
  return readCount(object, "cores", device.cores);
}

static Error readMachine(const JsonValue &root, Machine &machine) {
  if (!root.isObject())
    return root.unexpected("an object that describes a machine");
  if (Error error =
          checkKeys(root, {"version", "name", "source", "device",
                           "devices-per-node", "link", "nic", "host"}))
    return error;
  int64_t version;
  if (Error error = root.read("version", version))
    return error;
  if (version != 1)
    return cantFail(root.get("version")).unexpected("version 1");
  if (Error error = root.read("name", machine.name))
    return error;
  if (Error error = root.read("source", machine.source))
    return error;
  Expected<JsonValue> device = root.get("device");
  if (!device)
    return device.takeError();
  if (Error error = readDevice(*device, machine.device))
    return error;
  if (Error error = readCount(root, "devices-per-node", machine.devicesPerNode))
    return error;
  if (Error error = readLink(root, "link", machine.link))
    return error;
  if (Error error = readLink(root, "nic", machine.nic))
    return error;
  if (Error error = readLink(root, "host", machine.host))
    return error;
  if (machine.devicesPerNode > 1 && !machine.link.bytesPerSec)
    return root.error("expected the field 'link' where a node has " +
                      Twine(machine.devicesPerNode) + " devices");
  return Error::success();
}

Expected<Machine> nlp::parseMachine(StringRef text, StringRef fileName) {
  JsonLimits limits;
  limits.maxBytes = 1 << 20;
  Expected<JsonDocument> document = parseJson(text, fileName, limits);
  if (!document)
    return document.takeError();
  Machine machine;
  if (Error error = readMachine(document->root(), machine))
    return error;
  return machine;
}

std::string nlp::printMachine(const Machine &machine) {
  using Json = nlohmann::ordered_json;
  const Device &device = machine.device;
  Json rates = Json::object();
  for (StringRef type : matrixTypes)
    if (auto rate = device.matrixFlopsPerSec.find(type.str());
        rate != device.matrixFlopsPerSec.end())
      rates[type.str()] = rate->second;
  Json root = {{"version", 1},
               {"name", machine.name},
               {"source", machine.source},
               {"device",
                {{"kind", device.kind == Device::Kind::CPU ? "cpu" : "gpu"},
                 {"memory", device.memoryBytes},
                 {"memory-bandwidth", device.memoryBytesPerSec},
                 {"matrix-flops", rates},
                 {"vector-flops", device.vectorFlopsPerSec},
                 {"launch-seconds", device.launchSeconds},
                 {"cores", device.cores}}},
               {"devices-per-node", machine.devicesPerNode}};
  auto addLink = [&](const char *key, const Link &link) {
    if (link.bytesPerSec)
      root[key] = {{"bandwidth", link.bytesPerSec},
                   {"latency-seconds", link.latencySeconds}};
  };
  addLink("link", machine.link);
  addLink("nic", machine.nic);
  addLink("host", machine.host);
  return root.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

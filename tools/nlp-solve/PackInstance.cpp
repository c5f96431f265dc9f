//===- PackInstance.cpp - Packing problems as tables ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields are plain: no quotes, blanks around them do not count. Every row has
// as many fields as the header.
//
//===----------------------------------------------------------------------===//

#include "PackInstance.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace nlp;

namespace {
/// Where the columns stand; -1 where a column is absent.
struct Columns {
  int id = -1, lower = -1, upper = -1, size = -1, alignment = -1, offset = -1;
  size_t count = 0;
};
} // namespace

static SmallVector<StringRef> splitRow(StringRef line) {
  SmallVector<StringRef> fields;
  line.split(fields, ',');
  for (StringRef &field : fields)
    field = field.trim();
  return fields;
}

/// `fields` without the column `dropped`, joined again.
static std::string joinWithout(SmallVector<StringRef> fields, int dropped) {
  if (dropped >= 0)
    fields.erase(fields.begin() + dropped);
  return join(fields, ",");
}

static Expected<Columns> readHeader(StringRef line, const Twine &place) {
  Columns columns;
  SmallVector<StringRef> names = splitRow(line);
  columns.count = names.size();
  for (auto [i, name] : enumerate(names)) {
    int *column = name == "id"                         ? &columns.id
                  : name == "lower" || name == "begin" ? &columns.lower
                  : name == "upper" || name == "end"   ? &columns.upper
                  : name == "size"                     ? &columns.size
                  : name == "alignment"                ? &columns.alignment
                  : name == "offset"                   ? &columns.offset
                                                       : nullptr;
    if (!column)
      continue;
    if (*column >= 0)
      return makeError(place + "expected the column '" + name + "' once");
    *column = static_cast<int>(i);
  }
  if (columns.id < 0 || columns.lower < 0 || columns.upper < 0 ||
      columns.size < 0)
    return makeError(place +
                     "expected a header with the columns id, lower, "
                     "upper and size, but got '" +
                     line.take_front(80) + "'");
  return columns;
}

/// Reads one field as an integer.
static Error readField(ArrayRef<StringRef> fields, int column, StringRef name,
                       const Twine &place, int64_t &out) {
  if (fields[column].getAsInteger(10, out))
    return makeError(place + name + ": expected an integer, but got '" +
                     fields[column].take_front(40) + "'");
  return Error::success();
}

static Expected<solver::PackingBuffer> readRow(ArrayRef<StringRef> fields,
                                               const Columns &columns,
                                               const Twine &place) {
  if (fields.size() != columns.count)
    return makeError(place + "expected " + Twine(columns.count) +
                     " fields, but got " + Twine(fields.size()));
  solver::PackingBuffer buffer;
  solver::LiveInterval live;
  if (Error error =
          readField(fields, columns.lower, "lower", place, live.start))
    return error;
  if (Error error = readField(fields, columns.upper, "upper", place, live.end))
    return error;
  if (Error error =
          readField(fields, columns.size, "size", place, buffer.bytes))
    return error;
  if (columns.alignment >= 0)
    if (Error error = readField(fields, columns.alignment, "alignment", place,
                                buffer.alignment))
      return error;
  if (columns.offset >= 0 && !fields[columns.offset].empty())
    if (Error error = readField(fields, columns.offset, "offset", place,
                                buffer.fixedOffset.emplace()))
      return error;
  buffer.live.push_back(live);
  // What is wrong with the row is said at its line.
  solver::PackingProblem alone{{buffer}, {}};
  if (std::optional<std::string> message = alone.check()) {
    StringRef text = *message;
    text.consume_front("buffer 0: ");
    return makeError(place + text);
  }
  return buffer;
}

Expected<PackInstance> nlp::readPackInstance(StringRef text,
                                             StringRef fileName) {
  PackInstance instance;
  std::optional<Columns> columns;
  StringSet<> ids;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [i, untrimmed] : enumerate(lines)) {
    StringRef line = untrimmed.trim();
    if (line.empty())
      continue;
    std::string place = (fileName + ":" + Twine(i + 1) + ": ").str();
    SmallVector<StringRef> fields = splitRow(line);
    if (!columns) {
      Expected<Columns> header = readHeader(line, place);
      if (!header)
        return header.takeError();
      columns = *header;
      instance.header = joinWithout(fields, columns->offset);
      continue;
    }
    Expected<solver::PackingBuffer> buffer = readRow(fields, *columns, place);
    if (!buffer)
      return buffer.takeError();
    if (!ids.insert(fields[columns->id]).second)
      return makeError(place + "expected each id once, but '" +
                       fields[columns->id] + "' stands here again");
    instance.problem.buffers.push_back(std::move(*buffer));
    instance.rows.push_back(joinWithout(fields, columns->offset));
  }
  if (!columns)
    return makeError(fileName + ": expected a header with the columns id, "
                                "lower, upper and size, but the file is empty");
  if (std::optional<std::string> message = instance.problem.check())
    return makeError(fileName + ": " + *message);
  return instance;
}

std::string nlp::printPacking(const PackInstance &instance,
                              const solver::PackingSolution &solution) {
  std::string text = instance.header + ",offset\n";
  for (auto [row, offset] : zip(instance.rows, solution.offsets))
    text += row + "," + std::to_string(offset) + "\n";
  return text;
}

//===- RandomProgram.cpp - Small programs at random -----------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers have one to five cache lines, the last of which may be filled in
// part; views begin at cache lines.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include <random>
#include <vector>

namespace {
/// A buffer or view that may be read, of so many f32.
struct Buffer {
  std::string name;
  int64_t count;
  bool isAlloc; ///< May be overwritten in place.

  std::string type() const {
    return "memref<" + std::to_string(count) + "xf32>";
  }
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  std::string make();

private:
  int64_t pick(int64_t size) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(size));
  }
  bool chance(int64_t percent) { return pick(100) < percent; }
  /// Whole cache lines, or some elements less.
  int64_t pickCount() { return 16 * (1 + pick(5)) - (chance(30) ? 5 : 0); }
  const Buffer &pickReadable() {
    // Recent ones rather than old ones, so that lifetimes differ.
    int64_t size = static_cast<int64_t>(readable.size());
    int64_t back = std::min(pick(size), pick(size));
    return readable[size - 1 - back];
  }

  void declare(const std::string &name, int64_t count, const char *kind,
               const char *category, const std::string &attributes = "");
  Buffer get(const std::string &name, int64_t count);
  Buffer alloc(int64_t count);
  void pointwise(const std::vector<Buffer> &ins, const Buffer &out);
  void launch(const char *kernel, const std::vector<Buffer> &ins,
              const std::vector<Buffer> &outs, bool workspace);
  void addOp();
  void beginRoutine(const char *name, const char *kind);
  void endRoutine() { text += "  }\n"; }
  /// Brings all of a value into a buffer of any size.
  void writeTo(const Buffer &out) {
    launch("copy", {pickReadable()}, {out}, 0);
  }

  std::mt19937_64 random;
  std::string text;
  std::vector<Buffer> readable;
  int64_t nextValue = 0;
};
} // namespace

void Generator::declare(const std::string &name, int64_t count,
                        const char *kind, const char *category,
                        const std::string &attributes) {
  text += "  nlprt.buffer @" + name + " : memref<" + std::to_string(count) +
          "xf32> kind " + kind + " category " + category + attributes + "\n";
}

Buffer Generator::get(const std::string &name, int64_t count) {
  Buffer buffer{"%" + name, count, false};
  text += "    " + buffer.name + " = nlprt.get @" + name + " : " +
          buffer.type() + "\n";
  return buffer;
}

Buffer Generator::alloc(int64_t count) {
  Buffer buffer{"%v" + std::to_string(nextValue++), count, true};
  text += "    " + buffer.name +
          " = nlprt.alloc transients : " + buffer.type() + "\n";
  return buffer;
}

void Generator::pointwise(const std::vector<Buffer> &ins, const Buffer &out) {
  std::string names, types, arguments;
  for (const Buffer &in : ins) {
    std::string separator = names.empty() ? "" : ", ";
    names += separator + in.name;
    types += separator + in.type();
    arguments += separator + "%a" + std::to_string(nextValue++) + ": f32";
  }
  std::string first = arguments.substr(0, arguments.find(':'));
  text += "    nlprt.pointwise(" + names + ") to(" + out.name + ") : (" +
          types + ") -> " + out.type() + " {\n    ^bb0(" + arguments +
          "):\n      nlprt.yield " + first + " : f32\n    }\n";
}

void Generator::launch(const char *kernel, const std::vector<Buffer> &ins,
                       const std::vector<Buffer> &outs, bool workspace) {
  std::string names[2], types[2];
  auto add = [&](int side, const std::string &name, const std::string &type) {
    std::string separator = names[side].empty() ? "" : ", ";
    names[side] += separator + name;
    types[side] += separator + type;
  };
  for (const Buffer &in : ins)
    add(0, in.name, in.type());
  for (const Buffer &out : outs)
    add(1, out.name, out.type());
  if (workspace) {
    std::string name = "%v" + std::to_string(nextValue++);
    std::string type = "memref<" + std::to_string(1 + pick(200)) + "xi8>";
    text += "    " + name + " = nlprt.alloc workspace : " + type + "\n";
    add(1, name, type);
  }
  text += std::string("    nlprt.launch \"") + kernel + "\"(" + names[0] +
          ") to(" + names[1] + ") : (" + types[0] + ") -> (" + types[1] + ")\n";
}

void Generator::addOp() {
  Buffer in = pickReadable(), other = pickReadable();
  switch (pick(8)) {
  case 0: { // one element after another, perhaps with a repeated read
    std::vector<Buffer> ins = {in};
    if (in.count % other.count == 0)
      ins.push_back(other);
    Buffer out = alloc(in.count);
    pointwise(ins, out);
    readable.push_back(out);
    return;
  }
  case 1: { // over what it reads
    if (!in.isAlloc)
      return;
    pointwise({in}, in);
    return;
  }
  case 2: { // another size
    Buffer out = alloc(pickCount());
    launch("matmul", {in, other}, {out}, chance(50));
    readable.push_back(out);
    return;
  }
  case 3: { // two results, the first of which may take the place of a read
    Buffer out = alloc(in.count), rows = alloc(pickCount());
    launch("rms_norm", {in, other}, {out, rows}, chance(30));
    readable.insert(readable.end(), {out, rows});
    return;
  }
  case 4: { // cache lines of a buffer
    int64_t lines = in.count / 16;
    if (lines < 1)
      return;
    int64_t first = pick(lines);
    Buffer view{"%v" + std::to_string(nextValue++),
                16 * (1 + pick(lines - first)), false};
    text += "    " + view.name + " = nlprt.view " + in.name +
            " {offset = " + std::to_string(64 * first) + "} : " + in.type() +
            " to " + view.type() + "\n";
    readable.push_back(view);
    return;
  }
  case 5: { // the same bytes under another name
    Buffer view{"%v" + std::to_string(nextValue++), in.count, false};
    text += "    " + view.name + " = nlprt.view " + in.name + " : " +
            in.type() + " to " + view.type() + "\n";
    readable.push_back(view);
    return;
  }
  case 6: { // from nothing
    Buffer out = alloc(pickCount());
    launch("fill", {}, {out}, false);
    readable.push_back(out);
    return;
  }
  default: { // results that nobody may read
    Buffer out = alloc(pickCount());
    launch("copy", {in}, {out}, chance(20));
    if (chance(70))
      readable.push_back(out);
  }
  }
}

void Generator::beginRoutine(const char *name, const char *kind) {
  readable.clear();
  text += std::string("  nlprt.routine @") + name + " kind " + kind + " {\n";
}

std::string Generator::make() {
  int64_t microBatches = 1 + pick(3);
  bool inTurn = chance(40); // F0 B0 F1 B1 rather than F0 F1 B0 B1
  std::string forward, backward, mixed;
  for (int64_t i = 0; i < microBatches; ++i) {
    std::string f = "#nlprt.run<@f, " + std::to_string(i) + ">, ",
                b = "#nlprt.run<@b, " + std::to_string(i) + ">, ";
    forward += f;
    backward += b;
    mixed += f + b;
  }
  text = "nlprt.program @step attributes {model = \"\", global_batch = 1, "
         "micro_batch = 1, seq_len = 1, vocab_size = 1, threads = 1, runs = [" +
         (inTurn ? mixed : forward + backward) + "#nlprt.run<@u, 0>]} {\n";

  struct Declared {
    std::string name;
    int64_t count;
  };
  auto declareSome = [&](const char *prefix, int64_t number, const char *kind,
                         const char *category,
                         const std::string &attributes = "") {
    std::vector<Declared> all;
    for (int64_t i = 0; i < number; ++i) {
      all.push_back({prefix + std::to_string(i), pickCount()});
      declare(all.back().name, all.back().count, kind, category, attributes);
    }
    return all;
  };
  auto parameters = declareSome("p", 1 + pick(2), "parameter", "parameters");
  auto states = declareSome("m", pick(2), "state", "optimizer");
  auto inputs = declareSome("i", 1 + pick(2), "input", "activations");
  auto slots =
      declareSome("s", 1 + pick(3), "slot", "activations",
                  " {instances = " + std::to_string(microBatches) + "}");
  auto sums = declareSome("g", 1 + pick(2), "accumulator", "gradients");
  auto figures = declareSome("l", 1, "figure", "transients");

  auto read = [&](const std::vector<Declared> &all) {
    for (const Declared &one : all)
      readable.push_back(get(one.name, one.count));
  };
  auto addOps = [&] {
    for (int64_t count = 2 + pick(8); count > 0; --count)
      addOp();
  };

  beginRoutine("f", "forward");
  read(parameters);
  read(inputs);
  addOps();
  for (const Declared &slot : slots) {
    writeTo(get(slot.name, slot.count));
    addOp();
  }
  endRoutine();

  beginRoutine("b", "backward");
  read(parameters);
  read(slots);
  if (chance(50))
    read(inputs);
  addOps();
  for (const Declared &sum : sums) {
    Buffer total = get(sum.name, sum.count);
    for (bool first : {true, false}) {
      Buffer value = alloc(sum.count);
      writeTo(value);
      text += std::string("    nlprt.accumulate") + (first ? " first" : "") +
              "(" + value.name + ") to(" + total.name + ") : (" + value.type() +
              ") -> " + total.type() + "\n";
      addOp();
    }
  }
  endRoutine();

  beginRoutine("u", "update");
  read(parameters);
  read(states);
  read(sums);
  addOps();
  for (const auto *all : {&parameters, &states})
    for (const Declared &one : *all) {
      Buffer place{"%" + one.name, one.count, false};
      if (chance(50))
        pointwise({place}, place);
      else if (chance(50)) {
        Buffer value = alloc(one.count);
        writeTo(value);
        launch("copy", {value}, {place}, false);
      }
    }
  launch("fill", {}, {get(figures[0].name, figures[0].count)}, false);
  addOps();
  endRoutine();

  beginRoutine("e", "evaluate");
  read(parameters);
  read(inputs);
  addOps();
  Buffer value = alloc(figures[0].count);
  writeTo(value);
  launch("copy", {value}, {get(figures[0].name, figures[0].count)}, false);
  endRoutine();
  text += "}\n";
  return text;
}

std::string makeRandomProgram(uint64_t seed) { return Generator(seed).make(); }

//===- Main.cpp - A training program's main -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between C++ and the C ABI: every exception ends here as a message
// on stderr and an exit code.
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"
#include "core/Describe.h"
#include "core/Options.h"
#include "core/Support.h"
#include "core/Trainer.h"
#include <cstdio>
#include <new>

using namespace nlprt;

static int runProgram(const nlprt_program &program, int argc, char **argv,
                      const std::string &name) {
  Options options;
  if (std::optional<int> code = parseOptions(program, argc, argv, options))
    return *code;
  checkProgram(program);
  if (options.describe) {
    std::fputs(describeProgram(program).c_str(), stdout);
    return std::fflush(stdout) == 0 ? exitDone : exitFailed;
  }
  warmHeap();
  return Trainer(program, options, name).run();
}

int nlprt_main(const nlprt_program *program, int argc, char **argv) {
  const char *name = argc > 0 && argv[0] ? argv[0] : "train";
  for (const char *c = name; *c; ++c)
    if (*c == '/' && c[1])
      name = c + 1;
  try {
    return runProgram(*program, argc, argv, name);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s: error: %s\n", name, error.what());
    return error.code;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "%s: error: no memory left on the host\n", name);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: error: %s\n", name, error.what());
  }
  return exitFailed;
}

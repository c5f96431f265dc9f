//===- Main.cpp - A training program's main -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between C++ and the C ABI: every exception ends here as a message
// on stderr and an exit code. Standard output that cannot be written does not
// end a run, which may be weeks old; what is lost is said at the end.
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"
#include "core/Describe.h"
#include "core/Options.h"
#include "core/Support.h"
#include "core/Trainer.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

using namespace nlprt;

static int runProgram(const nlprt_program &program, int argc, char **argv,
                      const std::string &name) {
  Options options;
  if (std::optional<int> code = parseOptions(program, argc, argv, options))
    return *code;
  checkProgram(program);
  if (!options.describe.empty()) {
    bool json = options.describe == "json";
    std::fputs(
        (json ? describePlan(program) : describeProgram(program)).c_str(),
        stdout);
    return exitDone;
  }
  return Trainer(program, options, name).run();
}

/// `code`, or exitFailed where something printed did not arrive. A run that is
/// to go on keeps its code.
static int checkOutput(int code, const char *name) {
  bool written = std::fflush(stdout) == 0;
  int reason = written ? 0 : errno;
  if (written && !std::ferror(stdout))
    return code;
  std::fprintf(stderr,
               "%s: error: standard output: could not write%s%s: what was "
               "printed is lost\n",
               name, reason ? ": " : "", reason ? std::strerror(reason) : "");
  return code == exitDone ? exitFailed : code;
}

int nlprt_main(const nlprt_program *program, int argc, char **argv) {
  const char *name = argc > 0 && argv[0] ? argv[0] : "train";
  for (const char *c = name; *c; ++c)
    if (*c == '/' && c[1])
      name = c + 1;
  try {
    return checkOutput(runProgram(*program, argc, argv, name), name);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s: error: %s\n", name,
                 printable(error.what()).c_str());
    return error.code;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "%s: error: no memory left on the host\n", name);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: error: %s\n", name,
                 printable(error.what()).c_str());
  }
  return exitFailed;
}

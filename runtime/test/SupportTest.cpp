//===- SupportTest.cpp - Texts of the runtime -------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Support.h"

#include <gtest/gtest.h>

using namespace nlprt;

TEST(Support, NamesInMessagesControlNoTerminal) {
  EXPECT_EQ(printable("h.0/äöü – ok"), "h.0/äöü – ok");
  EXPECT_EQ(printable("a\x1b[31mred\n\x7f"), "a\\x1b[31mred\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\xc2\\x9b"
            "31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

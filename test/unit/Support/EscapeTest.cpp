//===- EscapeTest.cpp - Text of others in messages --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Escape.h"
#include "gtest/gtest.h"

using namespace nlp;

TEST(Escape, LeavesTextAlone) {
  for (const char *text :
       {"", "n_embd", "a 'quoted' \\ name", "größe", "語", "😀"})
    EXPECT_EQ(escapeText(text), text);
}

TEST(Escape, EscapesWhatATerminalObeys) {
  EXPECT_EQ(escapeText("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(escapeText("a\rb\nc\x7f"), "a\\x0db\\x0ac\\x7f");
  EXPECT_EQ(escapeText(llvm::StringRef("\0", 1)), "\\x00");
  EXPECT_EQ(escapeText("\xc2\x9b"), "\\xc2\\x9b");          // CSI in one byte
  EXPECT_EQ(escapeText("\xe2\x80\xae"), "\\xe2\\x80\\xae"); // right to left
}

TEST(Escape, EscapesInvalidUTF8) {
  EXPECT_EQ(escapeText("q\xff"), "q\\xff");
  EXPECT_EQ(escapeText("\xe8\xaa"), "\\xe8\\xaa"); // cut short
  EXPECT_EQ(escapeText("\xc0\x8a"), "\\xc0\\x8a"); // too long for a line break
}

TEST(Escape, KeepsLinesOfMessages) {
  EXPECT_EQ(escapeLines("one\ntwo\x1b"), "one\ntwo\\x1b");
}

//===- TokenFileTest.cpp - Token files, whole and damaged -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/TokenFile.h"
#include "Testing.h"
#include "core/DataOrder.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace nlprt;
using namespace nlprt::test;

template <typename T> static std::string array(std::vector<int64_t> values) {
  std::string bytes;
  for (int64_t value : values)
    bytes += bytesOf(static_cast<T>(value));
  return bytes;
}

static std::string llmHeader(int32_t magic, int32_t version, int32_t count) {
  std::string header = bytesOf(magic) + bytesOf(version) + bytesOf(count);
  header.resize(1024, '\0');
  return header;
}

static std::string npy(const std::string &type, const std::string &shape,
                       const std::string &data) {
  std::string dict = "{'descr': '" + type +
                     "', 'fortran_order': False, 'shape': " + shape + ", }";
  dict.resize(118, ' ');
  return std::string("\x93NUMPY\x01\0", 8) + bytesOf(uint16_t(118)) + dict +
         data;
}

static std::vector<int32_t> tokensOf(const TokenFile &file) {
  std::vector<int32_t> tokens(file.tokens());
  file.read(0, file.tokens(), tokens.data());
  return tokens;
}

class TokenFileTest : public testing::Test {
protected:
  std::vector<int32_t> read(const std::string &name, const std::string &content,
                            int64_t vocabulary = 1000) {
    return tokensOf(TokenFile(folder.write(name, content), vocabulary));
  }
  std::string error(const std::string &name, const std::string &content,
                    int64_t vocabulary = 1000) {
    return errorOf([&] { read(name, content, vocabulary); });
  }

  TemporaryFolder folder;
  const std::vector<int32_t> wanted = {1, 2, 999, 0};
};

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(TokenFileTest, Formats) {
  std::vector<int64_t> tokens(wanted.begin(), wanted.end());
  EXPECT_EQ(read("nano.bin", array<uint16_t>(tokens)), wanted);
  EXPECT_EQ(
      read("llmc.bin", llmHeader(20240520, 1, 4) + array<uint16_t>(tokens)),
      wanted);
  EXPECT_EQ(
      read("wide.bin", llmHeader(20240801, 7, 4) + array<uint32_t>(tokens)),
      wanted);
  EXPECT_EQ(read("a.npy", npy("<u2", "(4,)", array<uint16_t>(tokens))), wanted);
  EXPECT_EQ(read("b.npy", npy("<i4", "(4,)", array<int32_t>(tokens))), wanted);
  EXPECT_EQ(read("c.npy", npy("<i8", "(4,)", array<int64_t>(tokens))), wanted);
  EXPECT_EQ(read("text.txt", "A\xff"), (std::vector<int32_t>{65, 255}));
  EXPECT_EQ(read("no-extension", "A"), (std::vector<int32_t>{65}));
}

/// An index of sequences (length, first byte) of tokens of type `code`.
static std::string megatron(int code,
                            std::vector<std::pair<int32_t, int64_t>> sequences,
                            uint64_t count) {
  std::string index = std::string("MMIDIDX\0\0", 9) + bytesOf(uint64_t(1)) +
                      char(code) + bytesOf(count) + bytesOf(uint64_t(0));
  for (auto [length, offset] : sequences)
    index += bytesOf(length);
  for (auto [length, offset] : sequences)
    index += bytesOf(offset);
  return index;
}

TEST_F(TokenFileTest, Megatron) {
  // Out of order, with a gap and an empty document.
  std::string bin = array<uint16_t>({7, 1, 2, 8, 999, 0});
  folder.write("m.idx", megatron(8, {{2, 2}, {0, 0}, {1, 8}, {1, 10}}, 4));
  EXPECT_EQ(read("m.bin", bin), wanted);
  EXPECT_EQ(tokensOf(TokenFile(folder / "m.idx", 1000)), wanted);
  int32_t two[2];
  TokenFile(folder / "m.bin", 1000).read(1, 2, two);
  EXPECT_EQ(two[0], 2);
  EXPECT_EQ(two[1], 999);
  folder.write("m.idx", megatron(8, {{2, 2}, {5, 4}}, 2));
  EXPECT_TRUE(contains(error("m.bin", bin), "sequence 1 inside the .bin"));
  folder.write("m.idx", megatron(8, {{2, -2}}, 1));
  EXPECT_TRUE(contains(error("m.bin", bin), "sequence 0 inside"));
  folder.write("m.idx", megatron(8, {{2, 2}}, uint64_t(1) << 61));
  EXPECT_TRUE(contains(error("m.bin", bin), "ends after"));
  folder.write("m.idx", megatron(7, {{2, 2}}, 1));
  EXPECT_TRUE(contains(error("m.bin", bin), "integer type"));
  folder.write("m.idx", "MMID");
  EXPECT_TRUE(contains(error("m.bin", bin), "header of 34 bytes"));
}

TEST_F(TokenFileTest, Damaged) {
  EXPECT_TRUE(contains(error("a.bin", "abc"), "file of 3 bytes"));
  EXPECT_TRUE(contains(error("b.bin", bytesOf(20240520)), "1024 bytes"));
  EXPECT_TRUE(contains(error("c.bin", llmHeader(20240520, 2, 0)), "version 1"));
  EXPECT_TRUE(contains(error("d.bin", llmHeader(20240520, 1, 9) + "ab"),
                       "expected 9 tokens"));
  EXPECT_TRUE(contains(error("e.bin", llmHeader(20240520, 1, -1)), "tokens"));
  EXPECT_TRUE(contains(error("a.npy", "hello, world"), ".npy file"));
  EXPECT_TRUE(contains(error("b.npy", npy("<f4", "(1,)", "abcd")), "integer"));
  EXPECT_TRUE(
      contains(error("c.npy", npy("<i4", "(1, 1)", "abcd")), "one dimension"));
  EXPECT_TRUE(
      contains(error("d.npy", npy("<i4", "(2,)", "abcd")), "2 elements"));
  EXPECT_TRUE(
      contains(error("e.npy", npy("<i4", "(99999999999999999999,)", "abcd")),
               "one dimension"));
  EXPECT_TRUE(contains(error("f.npy", npy("<i4", "(2,)", "").substr(0, 60)),
                       "header of 118"));
}

TEST_F(TokenFileTest, OutsideTheVocabulary) {
  EXPECT_EQ(error("a.bin", array<uint16_t>({5, 1000})),
            folder / "a.bin" + ": expected token ids from 0 to 999, but token "
                               "1 of the file is 1000");
  EXPECT_TRUE(contains(error("a.npy", npy("<i4", "(1,)", array<int32_t>({-1}))),
                       "token 0 of the file is -1"));
  EXPECT_TRUE(contains(error("t.txt", "abc", 255), "vocabulary of 256"));
  EXPECT_EQ(error("u.txt", "abc", 256), "no error");
}

TEST_F(TokenFileTest, NoFile) {
  EXPECT_TRUE(contains(errorOf([&] { TokenFile(folder / "no.bin", 9); }),
                       "No such file"));
  EXPECT_TRUE(contains(errorOf([&] { TokenFile(folder.path, 256); }),
                       "is a directory"));
  EXPECT_TRUE(
      contains(errorOf([&] { TokenFile("/dev/zero", 256); }), "regular file"));
}

TEST_F(TokenFileTest, Order) {
  // 11 tokens, sequences of 3: (11 - 1) / 3 = 3 an epoch.
  std::string text(11, ' ');
  std::iota(text.begin(), text.end(), 0);
  std::string path = folder.write("t", text);
  TokenFile file(path, 256);
  DataOrder order(file, path, 3, false, 1);
  EXPECT_EQ(order.sequencesPerEpoch(), 3);
  int32_t row[4];
  order.read(2, row);
  EXPECT_EQ(std::vector<int32_t>(row, row + 4),
            (std::vector<int32_t>{6, 7, 8, 9}));
  order.read(4, row); // wraps to 1
  EXPECT_EQ(row[0], 3);
  DataOrder shuffled(file, path, 1, true, 1);
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < 10; ++i) {
    first.push_back(shuffled.placeOf(i));
    second.push_back(shuffled.placeOf(i + 10));
  }
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(first[i], i);
  EXPECT_TRUE(contains(errorOf([&] { DataOrder(file, path, 11, false, 1); }),
                       "at least 12 tokens"));
}

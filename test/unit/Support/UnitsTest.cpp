//===- UnitsTest.cpp - Sizes and rates in text and numbers *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read, what is rejected, and that printing and reading agree.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Units.h"
#include "gtest/gtest.h"
#include <random>

using namespace nlp;

static int64_t readSize(llvm::StringRef text) {
  llvm::Expected<int64_t> bytes = parseSize(text);
  if (bytes)
    return *bytes;
  llvm::consumeError(bytes.takeError());
  return -1;
}

static std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(Units, ReadsSizes) {
  EXPECT_EQ(readSize("0"), 0);
  EXPECT_EQ(readSize("4096"), 4096);
  EXPECT_EQ(readSize("4096B"), 4096);
  EXPECT_EQ(readSize("800MB"), 800000000);
  EXPECT_EQ(readSize("1.5GiB"), 1610612736);
  EXPECT_EQ(readSize("1.5 gib"), 1610612736);
  EXPECT_EQ(readSize("2kB"), 2000);
  EXPECT_EQ(readSize("1KiB"), 1024);
  EXPECT_EQ(readSize("1000TiB"), 1000ll << 40);
  // 0.1 GiB is 107374182.4 bytes: rounded down, without floating point.
  EXPECT_EQ(readSize("0.1GiB"), 107374182);
  EXPECT_EQ(readSize("9223372036854775807"), INT64_MAX);
}

TEST(Units, RejectsWhatIsNoSize) {
  for (const char *text :
       {"", " ", "GiB", "-1", "1.GiB", ".5GiB", "1e9", "1.5GB/s", "12Gi",
        "1 2MB", "0x10", "99999999999999999999", "9223372036854775808",
        "8192PiB", "1.0000000001GiB", "1,5GiB", "10 %"})
    EXPECT_EQ(readSize(text), -1) << text;
  EXPECT_EQ(message(parseSize("12 bananas").takeError()),
            "expected a size such as 1.5GiB, 800MB or 4096, but got '12 "
            "bananas'");
}

TEST(Units, ReadsRates) {
  EXPECT_EQ(*parseRate("12.5GB/s"), 12500000000);
  EXPECT_EQ(*parseRate("3.35TB/s"), 3350000000000);
  EXPECT_EQ(*parseRate("1000"), 1000);
  EXPECT_EQ(message(parseRate("fast/s").takeError()),
            "expected a rate such as 12.5GB/s, but got 'fast/s'");
}

TEST(Units, PrintsSizes) {
  EXPECT_EQ(formatSize(0), "0B");
  EXPECT_EQ(formatSize(1023), "1023B");
  EXPECT_EQ(formatSize(1024), "1KiB");
  EXPECT_EQ(formatSize(1610612736), "1.5GiB");
  EXPECT_EQ(formatSize(123456789), "117.7MiB");
  // 1.0009765625 KiB, to the nearest thousandth and to the next above.
  EXPECT_EQ(formatSize(1025), "1.001KiB");
  EXPECT_EQ(formatSizeUp(1025), "1.001KiB");
  EXPECT_EQ(formatSizeUp((1 << 20) + 1), "1.001MiB");
  EXPECT_EQ(formatSize(INT64_MAX), "8192PiB");
  EXPECT_EQ(formatRate(3350000000000), "3.35TB/s");
}

TEST(Units, RoundedUpSizesSuffice) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    int64_t bytes = random() >> (2 + random() % 61);
    int64_t read = readSize(formatSizeUp(bytes));
    ASSERT_GE(read, bytes) << formatSizeUp(bytes);
    ASSERT_LE(read, bytes + bytes / 900 + 1) << formatSizeUp(bytes);
  }
}

TEST(Units, ChecksOverflow) {
  EXPECT_EQ(checkedAdd(1, 2), 3);
  EXPECT_EQ(checkedAdd(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checkedMul(1ll << 32, 1ll << 32), std::nullopt);
  EXPECT_EQ(checkedProduct({2, 3, 7}), 42);
  EXPECT_EQ(checkedProduct({1ll << 31, 1ll << 31, 4}), std::nullopt);
  EXPECT_EQ(checkedAlign(65, 64), 128);
  EXPECT_EQ(checkedAlign(INT64_MAX, 64), std::nullopt);
}

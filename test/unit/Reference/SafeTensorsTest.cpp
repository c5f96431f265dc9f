//===- SafeTensorsTest.cpp - Weight files -----------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/SafeTensors.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace nlp;
using namespace nlp::ref;

namespace {
/// A file that goes away.
struct TemporaryFile {
  llvm::SmallString<64> path;

  TemporaryFile() {
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("weights", "safetensors", path));
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
};
} // namespace

static TensorValue makeTensor(llvm::ArrayRef<int64_t> shape,
                              std::vector<double> elements) {
  TensorValue tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.floats = std::move(elements);
  return tensor;
}

/// A file of header `json` and `data`.
static void write(llvm::StringRef path, std::string json, std::string data) {
  std::string size(8, '\0');
  size[0] = static_cast<char>(json.size());
  ASSERT_FALSE(bool(writeFileAtomically(path, size + json + data)));
}

TEST(ReferenceSafeTensors, RoundTrip) {
  TemporaryFile file;
  NamedTensors tensors = {{"a", makeTensor({2, 2}, {1, -2, 0.5, 3})},
                          {"b", makeTensor({1}, {0.1})}};
  ASSERT_FALSE(bool(writeSafeTensors(file.path, tensors)));
  NamedTensors parameters = {
      {"transformer.a", makeTensor({2, 2}, {0, 0, 0, 0})},
      {"b", makeTensor({1}, {0})}};
  ASSERT_FALSE(bool(loadWeights(file.path, parameters)));
  EXPECT_EQ(parameters["transformer.a"].floats, tensors["a"].floats);
  EXPECT_EQ(parameters["b"][0], static_cast<double>(0.1f));
}

TEST(ReferenceSafeTensors, NarrowTypes) {
  // 1.0 in bf16 is 3f80, -2.0 in f16 is c000.
  TemporaryFile file;
  write(file.path,
        R"({"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},)"
        R"("y":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})",
        std::string("\x80\x3f\x00\xc0", 4));
  llvm::Expected<NamedTensors> tensors = readSafeTensors(file.path);
  ASSERT_TRUE(bool(tensors));
  EXPECT_EQ((*tensors)["x"][0], 1.0);
  EXPECT_EQ((*tensors)["y"][0], -2.0);
}

TEST(ReferenceSafeTensors, DamagedFiles) {
  auto getError = [](std::string json, std::string data) {
    TemporaryFile file;
    write(file.path, json, data);
    llvm::Expected<NamedTensors> tensors = readSafeTensors(file.path);
    return tensors ? std::string() : toString(tensors.takeError());
  };
  const std::string entry = R"({"x":{"dtype":"F32","shape":[2],)";
  EXPECT_NE(getError(entry + R"("data_offsets":[0,8]}})", "1234"), "");
  EXPECT_NE(getError(entry + R"("data_offsets":[0,4]}})", "12345678"), "");
  EXPECT_NE(getError(entry + R"("data_offsets":[-4,4]}})", "12345678"), "");
  EXPECT_NE(getError(entry + "}}", "12345678"), "");
  EXPECT_NE(getError("{", ""), "");
  TemporaryFile empty;
  EXPECT_TRUE(bool(llvm::errorToBool(readSafeTensors(empty.path).takeError())));
}

TEST(ReferenceSafeTensors, WeightsThatDoNotFit) {
  TemporaryFile file;
  ASSERT_FALSE(
      bool(writeSafeTensors(file.path, {{"a", makeTensor({2}, {1, 2})}})));
  auto getError = [&](NamedTensors parameters) {
    return toString(loadWeights(file.path, parameters));
  };
  EXPECT_NE(getError({{"a", makeTensor({1, 2}, {0, 0})}})
                .find("expected a of shape [1, 2], but got [2]"),
            std::string::npos);
  EXPECT_NE(getError({{"b", makeTensor({2}, {0, 0})}})
                .find("expected a tensor b, but there is none"),
            std::string::npos);
}

//===- SafeTensorsTest.cpp - Weight files, whole and damaged -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/SafeTensors.h"
#include "Testing.h"
#include "core/DType.h"
#include "core/Weights.h"
#include <gtest/gtest.h>

using namespace nlprt;
using namespace nlprt::test;

static std::string file(const std::string &header, const std::string &data) {
  return bytesOf(uint64_t(header.size())) + header + data;
}

static SafeTensorMap parse(const std::string &bytes) {
  return parseSafeTensors(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
}

static std::string errorOfFile(const std::string &header,
                               const std::string &data) {
  return errorOf([&] { parse(file(header, data)); });
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(SafeTensors, Parses) {
  std::string bytes = file(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,1],)"
      R"("data_offsets":[4,8]},"a":{"dtype":"F32","shape":[],"data_offsets":)"
      R"([0,4]},"none":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]}}  )",
      "abcdefgh");
  SafeTensorMap tensors = parse(bytes);
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors.at("b").bytes, 4u);
  EXPECT_EQ(*tensors.at("b").data, 'e');
  EXPECT_EQ(tensors.at("b").shape, (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(tensors.at("a").shape.empty());
}

TEST(SafeTensors, Damaged) {
  EXPECT_TRUE(contains(errorOf([] { parse("abc"); }), "8 bytes"));
  EXPECT_TRUE(contains(errorOf([] { parse(bytesOf(uint64_t(5)) + "{}"); }),
                       "truncated"));
  EXPECT_TRUE(contains(errorOf([] { parse(bytesOf(~uint64_t(0)) + "{}"); }),
                       "truncated"));
  EXPECT_TRUE(contains(errorOfFile("[]", ""), "begin with '{'"));
  EXPECT_TRUE(contains(errorOfFile("{\"a\"", ""), "no JSON"));
  EXPECT_TRUE(contains(errorOfFile(R"({"a":1})", ""), "object"));
  EXPECT_TRUE(contains(
      errorOfFile(R"({"a":{"dtype":"Q7","shape":[],"data_offsets":[0,0]}})",
                  ""),
      "unknown dtype 'Q7'"));
  auto tensor = [](const char *shape, const char *offsets) {
    return std::string(R"({"a":{"dtype":"F32","shape":)") + shape +
           R"(,"data_offsets":)" + offsets + "}}";
  };
  auto error = [&](const char *shape, const char *offsets) {
    return errorOfFile(tensor(shape, offsets), "12345678");
  };
  EXPECT_EQ(error("[2]", "[0,8]"), "no error");
  EXPECT_TRUE(contains(error("[1]", "[0,8]"), "does not take 8 bytes"));
  EXPECT_TRUE(contains(error("[3]", "[0,12]"), "truncated"));
  EXPECT_TRUE(contains(error("[1]", "[4,8]"), "leave a hole"));
  EXPECT_TRUE(contains(error("[1]", "[0,4]"), "expected 4 bytes"));
  EXPECT_TRUE(contains(error("[1]", "[8,4]"), "data_offsets"));
  EXPECT_TRUE(contains(error("[1]", "[0]"), "two data_offsets"));
  EXPECT_TRUE(contains(error("[-1]", "[0,8]"), "whole numbers"));
  EXPECT_TRUE(contains(error("[1.5]", "[0,8]"), "whole numbers"));
  EXPECT_TRUE(
      contains(error("[4294967296,4294967296]", "[0,8]"), "does not take"));
  EXPECT_TRUE(contains(error("2", "[0,8]"), "array"));
  EXPECT_TRUE(contains(error("[[2]]", "[0,8]"), "whole numbers"));
  EXPECT_TRUE(contains(
      errorOfFile(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                  "123456"),
      "overlap"));
  EXPECT_TRUE(contains(
      errorOfFile(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                  "1"),
      "occurs twice"));
  std::string deep = R"({"a":)" + std::string(1000000, '[');
  EXPECT_TRUE(contains(errorOfFile(deep, ""), "too deeply"));
}

/// A program with two parameters of 2 x 2 and 2.
struct TinyModel {
  int64_t matrix[2] = {2, 2}, row[1] = {2};
  nlprt_parameter parameters[2] = {
      {{"model.w", NLPRT_F32, 2, matrix, 0, 16}, NLPRT_INIT_ZEROS, 0, 0, 0},
      {{"model.b", NLPRT_BF16, 1, row, 16, 4}, NLPRT_INIT_ZEROS, 0, 0, 0}};
  nlprt_program program = {};
  alignas(64) char arena[64] = {};

  TinyModel() {
    program.parameter_count = 2;
    program.parameters = parameters;
  }
  float at(int i) const { return reinterpret_cast<const float *>(arena)[i]; }
};

class WeightsTest : public testing::Test {
protected:
  std::string load(const std::string &path) {
    notes.clear();
    return errorOf(
        [&] { notes = loadWeights(model.program, model.arena, path); });
  }

  TemporaryFolder folder;
  TinyModel model;
  std::vector<std::string> notes;
};

static std::string f32(std::vector<float> values) {
  std::string bytes;
  for (float value : values)
    bytes += bytesOf(value);
  return bytes;
}

TEST_F(WeightsTest, RoundTrip) {
  float values[] = {1, 2, 3, -4.5};
  std::copy_n(values, 4, reinterpret_cast<float *>(model.arena));
  reinterpret_cast<uint16_t *>(model.arena + 16)[1] = toBF16(0.75f);
  std::string path = folder / "w.safetensors";
  saveWeights(model.program, model.arena, path);
  EXPECT_EQ(readFile(path).size() % 4, 0u);
  EXPECT_EQ(readFile(path).substr(8, 33),
            R"({"__metadata__":{"format":"pt"},")");
  std::fill_n(model.arena, 64, 0);
  EXPECT_EQ(load(path), "no error");
  EXPECT_EQ(model.at(3), -4.5f);
  EXPECT_EQ(fromBF16(reinterpret_cast<uint16_t *>(model.arena + 16)[1]), 0.75f);
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"w.safetensors"}));
}

TEST_F(WeightsTest, ConvertsAndMatchesBaseNames) {
  // Without the prefix, in other types, with an unknown tensor and a buffer.
  std::string data = bytesOf(1.5) + bytesOf(2.5) + bytesOf(-1.0) +
                     bytesOf(8.0) + bytesOf(toF16(0.5f)) +
                     bytesOf(toF16(-2.0f)) + "xyz";
  std::string path = folder.write(
      "m.safetensors",
      file(
          R"({"w":{"dtype":"F64","shape":[2,2],"data_offsets":[0,32]},)"
          R"("b":{"dtype":"F16","shape":[2],"data_offsets":[32,36]},)"
          R"("spare":{"dtype":"U8","shape":[2],"data_offsets":[36,38]},)"
          R"("h.0.attn.bias":{"dtype":"U8","shape":[1],"data_offsets":[38,39]}})",
          data));
  EXPECT_EQ(load(path), "no error");
  EXPECT_EQ(model.at(1), 2.5f);
  EXPECT_EQ(fromBF16(reinterpret_cast<uint16_t *>(model.arena + 16)[1]), -2.0f);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].ends_with("place in the model: spare"));
}

TEST_F(WeightsTest, Shards) {
  folder.write(
      "1.safetensors",
      file(R"({"model.w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})",
           f32({1, 2, 3, 4})));
  folder.write(
      "2.safetensors",
      file(R"({"model.b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
           f32({5, 6})));
  folder.write(
      "model.safetensors.index.json",
      R"({"weight_map":{"model.w":"1.safetensors","model.b":"2.safetensors"}})");
  EXPECT_EQ(load(folder.path), "no error");
  EXPECT_EQ(model.at(2), 3.0f);
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"model.w":"../1.safetensors"}})");
  EXPECT_TRUE(contains(load(folder.path), "without a folder"));
  folder.write("model.safetensors.index.json", "{");
  EXPECT_TRUE(contains(load(folder.path), "weight_map"));
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"model.w":"3.safetensors"}})");
  EXPECT_TRUE(contains(load(folder.path), "No such file"));
}

TEST_F(WeightsTest, Errors) {
  std::string path = folder.write(
      "m.safetensors",
      file(R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
           f32({1, 2, 3, 4})));
  EXPECT_TRUE(contains(load(path), "expected model.w to be F32 [2, 2], but got "
                                   "F32 [4]"));
  path = folder.write(
      "m.safetensors",
      file(R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})",
           f32({1, 2, 3, 4})));
  EXPECT_TRUE(contains(load(path), "not there: model.b"));
  EXPECT_EQ(model.at(0), 0.0f); // nothing loaded
  path = folder.write(
      "m.safetensors",
      file(R"({"w":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}})",
           f32({1, 2, 3, 4})));
  EXPECT_TRUE(contains(load(path), "F32, F16, BF16 or F64, but got I32"));
  EXPECT_TRUE(contains(load(folder / "no"), "No such file"));
  EXPECT_TRUE(contains(load(folder.path), "expected model.safetensors"));
  EXPECT_TRUE(contains(errorOf([&] {
                         saveWeights(model.program, model.arena,
                                     folder / "no/w.safetensors");
                       }),
                       "No such file"));
}

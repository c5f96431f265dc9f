//===- JsonTest.cpp - Reading JSON that nobody vouches for -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Good documents, the messages for bad ones, and inputs made to break a parser.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Json.h"
#include "gtest/gtest.h"
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace nlp;

static std::string parseError(llvm::StringRef text, JsonLimits limits = {}) {
  llvm::Expected<JsonDocument> document = parseJson(text, "f.json", limits);
  return document ? "" : llvm::toString(document.takeError());
}

static JsonDocument parse(llvm::StringRef text) {
  return llvm::cantFail(parseJson(text, "f.json"));
}

template <typename T>
static std::string readError(const JsonValue &value, llvm::StringRef key) {
  T out{};
  llvm::Error error = value.read(key, out);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(Json, ReadsFields) {
  JsonDocument document = parse(
      R"({"n": 12, "f": 4096.0, "theta": 1e6, "on": true, "name": "gpt2",
          "none": null, "shape": [2, 3], "o": {"a": [{"b": "x"}]}})");
  JsonValue root = document.root();
  int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::string name;
  std::vector<int64_t> shape;
  EXPECT_FALSE(bool(root.read("n", integer)));
  EXPECT_EQ(integer, 12);
  EXPECT_FALSE(bool(root.read("f", integer)));
  EXPECT_EQ(integer, 4096);
  EXPECT_FALSE(bool(root.read("theta", number)));
  EXPECT_EQ(number, 1e6);
  EXPECT_FALSE(bool(root.read("on", flag)));
  EXPECT_TRUE(flag);
  EXPECT_FALSE(bool(root.read("name", name)));
  EXPECT_EQ(name, "gpt2");
  EXPECT_FALSE(bool(root.read("shape", shape)));
  EXPECT_EQ(shape, (std::vector<int64_t>{2, 3}));
  EXPECT_FALSE(bool(root.readIfPresent("none", integer)));
  EXPECT_FALSE(bool(root.readIfPresent("absent", integer)));
  EXPECT_EQ(integer, 4096);
  EXPECT_EQ(root.keys().front(), "f");
}

TEST(Json, NamesThePlaceAndWhatCame) {
  JsonDocument document =
      parse(R"({"n": "twelve", "big": 9223372036854775808, "half": 0.5,
                "o": {"a": [1, "x"]}, "l": [1]})");
  JsonValue root = document.root();
  EXPECT_EQ(readError<int64_t>(root, "n"),
            "f.json: n: expected an integer, but got \"twelve\"");
  EXPECT_EQ(readError<int64_t>(root, "big"),
            "f.json: big: expected an integer, but got 9223372036854775808");
  EXPECT_EQ(readError<int64_t>(root, "half"),
            "f.json: half: expected an integer, but got 0.5");
  EXPECT_EQ(readError<int64_t>(root, "gone"),
            "f.json: expected the field 'gone', but it is missing");
  EXPECT_EQ(readError<std::string>(root, "l"),
            "f.json: l: expected a string, but got an array of 1 element");
  EXPECT_EQ(readError<bool>(root, "o"),
            "f.json: o: expected true or false, but got an object of 1 field");
  JsonValue inner = llvm::cantFail(root.get("o"));
  EXPECT_EQ(readError<std::vector<int64_t>>(inner, "a"),
            "f.json: o.a[1]: expected an integer, but got \"x\"");
  JsonValue text = llvm::cantFail(root.get("n"));
  EXPECT_EQ(llvm::toString(text.get("x").takeError()),
            "f.json: n: expected an object with the field 'x', but got "
            "\"twelve\"");
  JsonValue list = llvm::cantFail(root.get("l"));
  EXPECT_EQ(llvm::toString(list.at(0).asIntIn(2, 4).takeError()),
            "f.json: l[0]: expected an integer from 2 to 4, but got 1");
  EXPECT_EQ(llvm::toString(list.at(0).asIntIn(2, INT64_MAX).takeError()),
            "f.json: l[0]: expected an integer of 2 or more, but got 1");
}

TEST(Json, TakesInfinityAndNaN) {
  JsonDocument document =
      parse("{\"a\": Infinity, \"b\": -Infinity, \"c\": [NaN,Infinity],"
            "\"d\": \"Infinity NaN \\\" NaN\", \"e\": 0.000000, \"f\":0.0}");
  JsonValue root = document.root();
  EXPECT_EQ(root.raw()["a"].get<double>(), INFINITY);
  EXPECT_EQ(root.raw()["b"].get<double>(), -INFINITY);
  EXPECT_TRUE(std::isnan(root.raw()["c"][0].get<double>()));
  EXPECT_EQ(root.raw()["c"][1].get<double>(), INFINITY);
  EXPECT_EQ(root.raw()["d"], "Infinity NaN \" NaN");
  EXPECT_EQ(root.raw()["e"].get<double>(), 0.0);
  EXPECT_EQ(root.raw()["f"].get<double>(), 0.0);
  EXPECT_EQ(parse("NaN").root().describe(), "NaN");
  EXPECT_EQ(parse("-Infinity").root().describe(), "-Infinity");
  EXPECT_EQ(readError<int64_t>(root, "a"),
            "f.json: a: expected an integer, but got Infinity");
  for (const char *text :
       {"1Infinity", "Infinity1", "--Infinity", "-NaN", "NaNNaN", "Infinity.5",
        "1e-Infinity", "Infinit", "1NaN", "NaN0", "{NaN: 1}"})
    EXPECT_NE(parseError(text), "") << text;
}

TEST(Json, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(parseError("{\"a\": 1,\n  b}")
                .find("f.json: expected JSON: line 2, column 3: syntax error"),
            0u)
      << parseError("{\"a\": 1,\n  b}");
  for (const char *text :
       {"", " ", "{", "[1,", "{\"a\"}", "{\"a\":1}}", "nul", "1e999",
        "\"\xff\"", "\"a", "[1 2]", "{\"a\":1,}", "\xef\xbb", "01", "// x\n1"})
    EXPECT_NE(parseError(text), "") << text;
  EXPECT_EQ(parseError("{\"a\": 1, \"a\": 2}"),
            "f.json: expected JSON: the key 'a' occurs twice in one object");
  EXPECT_EQ(parseError("[]", {1, 64}),
            "f.json: expected at most 1B of JSON, but got 2B");
}

TEST(Json, LimitsDepth) {
  std::string deep(1000000, '[');
  EXPECT_EQ(parseError(deep),
            "f.json: expected JSON: expected values nested at most 64 deep");
  std::string fits = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(parseError(fits), "");
}

TEST(Json, SurvivesDamage) {
  const std::string whole =
      R"({"model_type": "gpt2", "n": [1, -2.5e3, Infinity, NaN], "t": true,
          "s": "a\u00e9\n", "o": {"x": null}})";
  ASSERT_EQ(parseError(whole), "");
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole.substr(0, 1 + random() % whole.size());
    for (unsigned hits = random() % 4; hits; --hits)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    llvm::Expected<JsonDocument> document = parseJson(damaged, "f.json");
    if (document)
      (void)document->root().describe();
    else
      llvm::consumeError(document.takeError());
  }
}

TEST(Json, ReportsFilesThatCannotBeRead) {
  EXPECT_EQ(llvm::toString(readJsonFile("no/such.json").takeError()),
            "no/such.json: could not open: No such file or directory");
  EXPECT_EQ(llvm::toString(readJsonFile(".").takeError()),
            ".: could not read: Is a directory");
}

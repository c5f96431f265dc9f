//===- Units.cpp - Sizes and rates in text and numbers ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is read as an integer mantissa and a count of decimals, scaled by
// the unit in 128 bits and divided back. Nine decimals at most: more cannot
// change a size below a GiB by a byte, and the scaled mantissa stays within 128
// bits.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Units.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <limits>

using namespace llvm;
using namespace nlp;

static constexpr unsigned maxDecimals = 9;

Error nlp::makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Bytes in one `unit`, or empty where it is none.
static std::optional<int64_t> getUnitBytes(StringRef unit) {
  static constexpr char prefixes[] = "kmgtp";
  std::string lower = unit.lower();
  StringRef rest = lower;
  if (rest.empty() || rest == "b")
    return 1;
  size_t power = StringRef(prefixes).find(rest.front());
  if (power == StringRef::npos)
    return std::nullopt;
  rest = rest.drop_front();
  int64_t base = rest == "ib" ? 1024 : rest == "b" ? 1000 : 0;
  if (!base)
    return std::nullopt;
  int64_t bytes = base;
  for (size_t i = 0; i < power; ++i)
    bytes *= base;
  return bytes;
}

/// A decimal number: `mantissa` / 10^`decimals`.
namespace {
struct Decimal {
  __int128 mantissa = 0;
  __int128 scale = 1;
};
} // namespace

/// Takes a decimal number off the front of `text`; empty where none stands
/// there or it has too many digits.
static std::optional<Decimal> takeDecimal(StringRef &text) {
  StringRef whole = text.take_while(isDigit);
  text = text.drop_front(whole.size());
  StringRef fraction;
  if (text.consume_front(".")) {
    fraction = text.take_while(isDigit);
    text = text.drop_front(fraction.size());
    if (fraction.empty())
      return std::nullopt;
  }
  if (whole.empty() || whole.size() > 19 || fraction.size() > maxDecimals)
    return std::nullopt;
  Decimal number;
  for (char digit : whole)
    number.mantissa = number.mantissa * 10 + (digit - '0');
  for (char digit : fraction) {
    number.mantissa = number.mantissa * 10 + (digit - '0');
    number.scale *= 10;
  }
  return number;
}

/// Reads a size; `expected` says in an error what was wanted.
static Expected<int64_t> parseQuantity(StringRef text, StringRef original,
                                       StringRef expected) {
  text = text.trim();
  std::optional<Decimal> number = takeDecimal(text);
  std::optional<int64_t> unit = getUnitBytes(text.ltrim());
  if (!number || !unit)
    return makeError("expected " + expected + ", but got '" + original + "'");
  __int128 whole = number->mantissa / number->scale;
  __int128 rest = number->mantissa % number->scale;
  constexpr __int128 limit = std::numeric_limits<int64_t>::max();
  __int128 bytes = whole * *unit + rest * *unit / number->scale;
  if (bytes > limit)
    return makeError("expected a size below 2^63 bytes, but got '" + original +
                     "'");
  return static_cast<int64_t>(bytes);
}

Expected<int64_t> nlp::parseSize(StringRef text) {
  return parseQuantity(text, text, "a size such as 1.5GiB, 800MB or 4096");
}

Expected<int64_t> nlp::parseRate(StringRef text) {
  StringRef size = text.trim();
  size.consume_back("/s");
  return parseQuantity(size, text, "a rate such as 12.5GB/s");
}

/// Prints `bytes` in units of powers of `base`. The value shown is the nearest
/// of its precision, or the next above where `up`.
static std::string formatQuantity(int64_t bytes, int64_t base, bool up) {
  static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  assert(bytes >= 0 && "sizes are not negative");
  int power = 0;
  int64_t unit = 1;
  while (power < 5 && bytes / base >= unit)
    unit *= base, ++power;
  // Four significant digits: as many decimals as the whole part leaves. The
  // rounding may carry into a further digit ("999.96" to "1000.0"), which is
  // still right, if one digit longer.
  int64_t whole = bytes / unit;
  int decimals = unit == 1 ? 0 : whole < 10 ? 3 : whole < 100 ? 2 : 1;
  int64_t scale = decimals == 3   ? 1000
                  : decimals == 2 ? 100
                  : decimals      ? 10
                                  : 1;
  __int128 scaled = static_cast<__int128>(bytes) * scale;
  scaled = (scaled + (up ? unit - 1 : unit / 2)) / unit;
  std::string text = std::to_string(static_cast<int64_t>(scaled / scale));
  if (decimals) {
    std::string digits = std::to_string(static_cast<int64_t>(scaled % scale));
    digits.insert(0, decimals - digits.size(), '0');
    StringRef kept = StringRef(digits).rtrim('0');
    if (!kept.empty())
      text += "." + kept.str();
  }
  return text + (base == 1024 ? binary : decimal)[power];
}

std::string nlp::formatSize(int64_t bytes) {
  return formatQuantity(bytes, 1024, /*up=*/false);
}

std::string nlp::formatSizeUp(int64_t bytes) {
  return formatQuantity(bytes, 1024, /*up=*/true);
}

std::string nlp::formatRate(int64_t bytesPerSec) {
  return formatQuantity(bytesPerSec, 1000, /*up=*/false) + "/s";
}

std::optional<int64_t> nlp::checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

std::optional<int64_t> nlp::checkedMul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

std::optional<int64_t> nlp::checkedProduct(ArrayRef<int64_t> factors) {
  std::optional<int64_t> product = 1;
  for (int64_t factor : factors) {
    product = checkedMul(*product, factor);
    if (!product)
      return std::nullopt;
  }
  return product;
}

std::optional<int64_t> nlp::checkedAlign(int64_t value, int64_t alignment) {
  assert(value >= 0 && alignment > 0 && "expected a size and an alignment");
  std::optional<int64_t> above = checkedAdd(value, alignment - 1);
  if (!above)
    return std::nullopt;
  return *above / alignment * alignment;
}

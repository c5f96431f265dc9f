//===- Units.h - Sizes and rates in text and numbers ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are int64 bytes everywhere; text such as "1.5GiB" exists only at the
// edges. Parsing is exact: a fraction is scaled as a decimal number and rounded
// down to a byte, so that no size depends on floating point. Arithmetic on
// sizes that come from input goes through the checked helpers.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SUPPORT_UNITS_H
#define NLP_SUPPORT_UNITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace nlp {

/// Reads "4096", "4096B", "800MB" (powers of 1000) or "1.5GiB" (powers of
/// 1024). The unit's case does not matter, blanks may stand before it.
llvm::Expected<int64_t> parseSize(llvm::StringRef text);

/// Reads a size per second: "12.5GB/s", or a size as above.
llvm::Expected<int64_t> parseRate(llvm::StringRef text);

/// Prints at most four significant digits in the largest binary unit that
/// leaves a whole part: "1.5GiB", "12.34MiB", "100B". Rounds to nearest.
std::string formatSize(int64_t bytes);

/// As formatSize, but rounds up: parseSize of the result is at least `bytes`.
/// For sizes that a user is told to ask for.
std::string formatSizeUp(int64_t bytes);

/// Prints a rate in decimal units: "3.35TB/s".
std::string formatRate(int64_t bytesPerSec);

/// Sum, product and round-up that are empty where int64 does not hold them.
std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
std::optional<int64_t> checkedMul(int64_t a, int64_t b);
std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> factors);

/// Rounds `value`, not negative, up to a multiple of `alignment`, positive.
std::optional<int64_t> checkedAlign(int64_t value, int64_t alignment);

/// An error with `message` and no code: what this project's parsers return.
llvm::Error makeError(const llvm::Twine &message);

} // namespace nlp

#endif // NLP_SUPPORT_UNITS_H

//===- PlaceUses.h - Who uses a symbol's or slot's bytes --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On tensors a value that was read stays what it was. On buffers it is the
// place it was read from, and changes when the place is written. This finds the
// writes of a segment that change a value somebody still uses, and tells which
// results may be computed in the place that they are stored to.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPTONLPRT_PLACEUSES_H
#define NLP_LIB_CONVERSION_NLPTONLPRT_PLACEUSES_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/ADT/MapVector.h"

namespace nlp {

/// An op that writes `value` to a symbol or slot.
struct PlaceWrite {
  mlir::FlatSymbolRefAttr place;
  bool isSlot;
  mlir::Operation *op;
  mlir::Value value;
};

class PlaceUses {
public:
  explicit PlaceUses(mlir::Block &block);

  /// All writes in order.
  llvm::ArrayRef<PlaceWrite> getWrites() const { return writes; }

  /// An op behind `write` that uses what its place held before, or null.
  mlir::Operation *findStaleUse(const PlaceWrite &write) const;

  /// True where the op of `result` may write the place of `write` itself, which
  /// is noted.
  bool takePlace(const PlaceWrite &write, mlir::OpResult result);

private:
  /// A value that stands for the bytes of a place.
  struct Holder {
    mlir::Value value;
    mlir::Operation *from;
  };
  /// One parameter, state or slot.
  struct Place {
    llvm::SmallVector<Holder, 1> holders;
    llvm::SmallVector<mlir::Operation *, 1> writes;
  };
  using Key = std::pair<unsigned, mlir::Attribute>;

  std::vector<PlaceWrite> writes;
  llvm::DenseMap<Key, Place> places;
};

} // namespace nlp

#endif // NLP_LIB_CONVERSION_NLPTONLPRT_PLACEUSES_H

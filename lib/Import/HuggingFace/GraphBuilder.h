//===- GraphBuilder.h - The layers that models are made of ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a module with one forward segment. Each method takes the place of the
// layer, "h.3.attn.c_attn": the ops get it as their location, and the layer's
// parameters are named after it, behind a prefix that is the model's.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_GRAPHBUILDER_H
#define NLP_LIB_IMPORT_HUGGINGFACE_GRAPHBUILDER_H

#include "Activation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/ADT/StringMap.h"

namespace nlp {

/// The sizes of the token grid, and the model's name.
struct GraphShape {
  std::string name;
  int64_t batch, seqLen, vocabSize;
};

/// Keys that a query may see, and what softmax sees of the scores.
struct AttentionSpec {
  double scale;
  int64_t window = 0; // of a sliding window; 0: causal
  double dropout = 0;
};

/// A linear layer's shape and start.
struct LinearSpec {
  int64_t outputs;
  bool hasBias;
  double stddev; // of the weight's initial elements
  WeightLayout layout = WeightLayout::OutIn;
};

class GraphBuilder {
public:
  /// Weights are called `weightPrefix` + place + ".weight".
  GraphBuilder(mlir::MLIRContext *context, const GraphShape &shape,
               llvm::StringRef weightPrefix);

  /// Token ids, [batch, seq_len].
  mlir::Value getTokens() const { return tokens; }

  /// Declares the place's weight and reads it. `stddev` as in LinearSpec.
  mlir::Value declareTable(llvm::StringRef place, int64_t rows, int64_t columns,
                           double stddev);
  /// The head's own table; its name has no prefix in any family.
  mlir::Value declareHead(int64_t columns, double stddev);
  /// Reads the table of `owner` once more as the head's: a tied weight.
  mlir::Value readTiedHead(llvm::StringRef owner);

  mlir::Value embedding(llvm::StringRef place, mlir::Value table,
                        mlir::Value ids);
  /// The first seq_len rows of `table`, for each sequence.
  mlir::Value positions(llvm::StringRef place, mlir::Value table);
  mlir::Value linear(llvm::StringRef place, mlir::Value input,
                     const LinearSpec &spec);
  mlir::Value layerNorm(llvm::StringRef place, mlir::Value input,
                        double epsilon);
  mlir::Value rmsNorm(llvm::StringRef place, mlir::Value input, double epsilon);
  /// [batch, seq_len, heads * size] -> [batch, seq_len, heads, size].
  mlir::Value splitHeads(llvm::StringRef place, mlir::Value input,
                         int64_t heads);
  /// The other way round.
  mlir::Value joinHeads(llvm::StringRef place, mlir::Value input);
  /// Cuts the last dimension into `parts` equal ones.
  llvm::SmallVector<mlir::Value> split(llvm::StringRef place, mlir::Value input,
                                       int64_t parts);
  mlir::Value rope(llvm::StringRef place, mlir::Value input,
                   mlir::DenseF64ArrayAttr frequencies);
  mlir::Value attention(llvm::StringRef place, mlir::Value query,
                        mlir::Value key, mlir::Value value,
                        const AttentionSpec &spec);
  mlir::Value activation(llvm::StringRef place, mlir::Value input,
                         Activation kind);
  mlir::Value add(llvm::StringRef place, mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(llvm::StringRef place, mlir::Value lhs, mlir::Value rhs);
  /// `input` itself where the rate is 0.
  mlir::Value dropout(llvm::StringRef place, mlir::Value input, double rate);

  /// Ends the segment with the loss of `input` times the transposed `table`.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::Value input,
                                           mlir::Value table);

private:
  mlir::Location at(llvm::StringRef place);
  mlir::Value declare(llvm::StringRef place, const llvm::Twine &name,
                      llvm::ArrayRef<int64_t> dims, InitKind init,
                      double stddev = 0);
  mlir::RankedTensorType getFloatType(llvm::ArrayRef<int64_t> dims);
  void readDropoutScalars();

  GraphShape shape;
  std::string weightPrefix;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder declarations; // before the step
  mlir::OpBuilder builder;      // in the segment
  llvm::StringMap<mlir::RankedTensorType> parameterTypes;
  mlir::Value tokens, targets;
  mlir::Value seed, firstSequence; // once there is dropout
};

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_GRAPHBUILDER_H

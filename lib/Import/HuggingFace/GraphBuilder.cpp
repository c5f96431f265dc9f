//===- GraphBuilder.cpp - The layers that models are made of --------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters are declared in the order in which they are first read. Weight
// decay applies to those of rank 2 or more. No elements are made: a model of
// any size costs its number of ops.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace nlp;

GraphBuilder::GraphBuilder(MLIRContext *context, const GraphShape &shape,
                           StringRef weightPrefix)
    : shape(shape), weightPrefix(weightPrefix), declarations(context),
      builder(context) {
  Location loc = at(shape.name);
  module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto model = ModelAttr::get(context, builder.getStringAttr(shape.name),
                              shape.batch, shape.seqLen, shape.vocabSize);
  auto step =
      StepOp::create(builder, loc, "train", nullptr, model, nullptr, nullptr);
  declarations.setInsertionPoint(step);
  builder.createBlock(&step.getBody());
  auto segment = SegmentOp::create(builder, loc, "forward", nullptr,
                                   SegmentKind::Forward, nullptr);
  builder.createBlock(&segment.getBody());
  auto type =
      RankedTensorType::get({shape.batch, shape.seqLen}, builder.getI32Type());
  tokens = InputOp::create(builder, at("tokens"), type, InputRole::Tokens);
  targets = InputOp::create(builder, at("targets"), type, InputRole::Targets);
}

Location GraphBuilder::at(StringRef place) {
  return NameLoc::get(builder.getStringAttr(place));
}

RankedTensorType GraphBuilder::getFloatType(ArrayRef<int64_t> dims) {
  return RankedTensorType::get(dims, builder.getF32Type());
}

/// Declares the parameter `parameterName` and reads it at `place`.
Value GraphBuilder::declare(StringRef place, const Twine &parameterName,
                            ArrayRef<int64_t> dims, InitKind init,
                            double stddev) {
  std::string name = parameterName.str();
  RankedTensorType type = getFloatType(dims);
  if (init == InitKind::Normal && stddev == 0)
    init = InitKind::Zeros;
  bool isNew = parameterTypes.try_emplace(name, type).second;
  assert(isNew && "a parameter is declared once");
  (void)isNew;
  ParameterOp::create(declarations, at(place), name, nullptr, type, init,
                      APFloat(stddev), /*decay=*/dims.size() >= 2,
                      /*frozen=*/false, nullptr);
  return ReadOp::create(builder, at(place), type, name);
}

Value GraphBuilder::declareTable(StringRef place, int64_t rows, int64_t columns,
                                 double stddev) {
  return declare(place, weightPrefix + place + ".weight", {rows, columns},
                 InitKind::Normal, stddev);
}

Value GraphBuilder::declareHead(int64_t columns, double stddev) {
  return declare("lm_head", "lm_head.weight", {shape.vocabSize, columns},
                 InitKind::Normal, stddev);
}

Value GraphBuilder::readTiedHead(StringRef owner) {
  std::string name = (weightPrefix + owner + ".weight").str();
  return ReadOp::create(builder, at("lm_head"), parameterTypes.at(name), name);
}

Value GraphBuilder::embedding(StringRef place, Value table, Value ids) {
  return EmbeddingOp::create(builder, at(place), table, ids, nullptr);
}

Value GraphBuilder::positions(StringRef place, Value table) {
  auto type = cast<RankedTensorType>(table.getType());
  if (type.getDimSize(0) != shape.seqLen)
    table =
        SliceOp::create(builder, at(place), table, 0, 0, shape.seqLen, nullptr);
  return BroadcastOp::create(
      builder, at(place),
      getFloatType({shape.batch, shape.seqLen, type.getDimSize(1)}), table,
      nullptr);
}

Value GraphBuilder::linear(StringRef place, Value input,
                           const LinearSpec &spec) {
  int64_t inputs = cast<RankedTensorType>(input.getType()).getShape().back();
  SmallVector<int64_t> dims = {spec.outputs, inputs};
  if (spec.layout == WeightLayout::InOut)
    std::swap(dims[0], dims[1]);
  Value weight = declare(place, weightPrefix + place + ".weight", dims,
                         InitKind::Normal, spec.stddev);
  Value bias;
  if (spec.hasBias)
    bias = declare(place, weightPrefix + place + ".bias", {spec.outputs},
                   InitKind::Zeros);
  return LinearOp::create(builder, at(place), input, weight, bias, spec.layout,
                          nullptr);
}

Value GraphBuilder::layerNorm(StringRef place, Value input, double epsilon) {
  int64_t width = cast<RankedTensorType>(input.getType()).getShape().back();
  Value weight =
      declare(place, weightPrefix + place + ".weight", {width}, InitKind::Ones);
  Value bias =
      declare(place, weightPrefix + place + ".bias", {width}, InitKind::Zeros);
  return LayerNormOp::create(builder, at(place), input, weight, bias,
                             APFloat(epsilon), nullptr)
      .getResult();
}

Value GraphBuilder::rmsNorm(StringRef place, Value input, double epsilon) {
  int64_t width = cast<RankedTensorType>(input.getType()).getShape().back();
  Value weight =
      declare(place, weightPrefix + place + ".weight", {width}, InitKind::Ones);
  return RMSNormOp::create(builder, at(place), input, weight, APFloat(epsilon),
                           nullptr)
      .getResult();
}

Value GraphBuilder::splitHeads(StringRef place, Value input, int64_t heads) {
  int64_t width = cast<RankedTensorType>(input.getType()).getShape().back();
  return ReshapeOp::create(
      builder, at(place),
      getFloatType({shape.batch, shape.seqLen, heads, width / heads}), input,
      nullptr);
}

Value GraphBuilder::joinHeads(StringRef place, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  return ReshapeOp::create(
      builder, at(place),
      getFloatType(
          {shape.batch, shape.seqLen, type.getDimSize(2) * type.getDimSize(3)}),
      input, nullptr);
}

SmallVector<Value> GraphBuilder::split(StringRef place, Value input,
                                       int64_t parts) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> sizes(parts, type.getShape().back() / parts);
  auto op = SplitOp::create(builder, at(place), input, type.getRank() - 1,
                            sizes, nullptr);
  return SmallVector<Value>(op.getResults());
}

Value GraphBuilder::rope(StringRef place, Value input,
                         DenseF64ArrayAttr frequencies) {
  return RopeOp::create(builder, at(place), input.getType(), input, frequencies,
                        builder.getBoolAttr(false), nullptr);
}

Value GraphBuilder::attention(StringRef place, Value query, Value key,
                              Value value, const AttentionSpec &spec) {
  bool hasDropout = spec.dropout > 0;
  if (hasDropout)
    readDropoutScalars();
  return AttentionOp::create(
             builder, at(place), query, key, value, hasDropout ? seed : Value(),
             hasDropout ? firstSequence : Value(),
             spec.window ? MaskKind::SlidingWindow : MaskKind::Causal,
             spec.window, APFloat(spec.scale), APFloat(spec.dropout),
             hasDropout ? place : "", nullptr)
      .getResult();
}

Value GraphBuilder::activation(StringRef place, Value input, Activation kind) {
  return buildActivation(builder, at(place), kind, input);
}

Value GraphBuilder::add(StringRef place, Value lhs, Value rhs) {
  return AddOp::create(builder, at(place), lhs.getType(), lhs, rhs, nullptr);
}

Value GraphBuilder::mul(StringRef place, Value lhs, Value rhs) {
  return MulOp::create(builder, at(place), lhs.getType(), lhs, rhs, nullptr);
}

Value GraphBuilder::dropout(StringRef place, Value input, double rate) {
  if (rate == 0)
    return input;
  readDropoutScalars();
  return DropoutOp::create(builder, at(place), input.getType(), input, seed,
                           firstSequence, APFloat(rate), place, nullptr);
}

/// Reads what dropout draws from, right after the inputs, once.
void GraphBuilder::readDropoutScalars() {
  if (seed)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(targets);
  auto type = RankedTensorType::get({}, builder.getI64Type());
  seed = RuntimeScalarOp::create(builder, at("step_seed"), type,
                                 RuntimeScalarKind::StepSeed);
  firstSequence = RuntimeScalarOp::create(builder, at("first_sequence"), type,
                                          RuntimeScalarKind::FirstSequence);
}

OwningOpRef<ModuleOp> GraphBuilder::finish(Value input, Value table) {
  Value logits = LinearOp::create(builder, at("lm_head"), input, table, Value(),
                                  WeightLayout::OutIn, nullptr);
  // The targets are the next tokens already: every row counts.
  auto loss = CrossEntropyOp::create(
      builder, at("loss"), logits, targets,
      APFloat(static_cast<double>(shape.batch * shape.seqLen)), nullptr);
  ReportOp::create(builder, at("loss"), ReportKind::Loss, loss.getLoss());
  return std::move(module);
}

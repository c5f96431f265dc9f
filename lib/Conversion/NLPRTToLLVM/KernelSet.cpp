//===- KernelSet.cpp - Generated kernels of a module, each once -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are told apart by a text of everything that their generator may
// read. Names are numbered in the order of first use.
//
//===----------------------------------------------------------------------===//

#include "KernelSet.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

using namespace mlir;
using namespace nlp::rt;

/// Prints the scalar definition with numbers for values.
static void printBody(llvm::raw_ostream &os, Block &body) {
  llvm::DenseMap<Value, unsigned> numbers;
  for (Value argument : body.getArguments())
    numbers.try_emplace(argument, numbers.size());
  for (Operation &op : body) {
    os << '\n' << op.getName();
    for (Value operand : op.getOperands())
      os << ' ' << numbers.lookup(operand);
    os << ' ' << op.getDiscardableAttrDictionary() << ' '
       << op.getPropertiesAsAttribute();
    for (Value result : op.getResults()) {
      os << ' ' << result.getType();
      numbers.try_emplace(result, numbers.size());
    }
  }
}

static std::string getKey(const KernelRequest &request) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << request.kernel << ' ' << request.reads;
  for (MemRefType type : request.buffers)
    os << ' ' << type;
  os << ' ' << request.params;
  if (request.body)
    printBody(os, request.body->front());
  return key;
}

namespace {
/// Makes a function of each stage.
class FunctionSink : public StageSink {
public:
  FunctionSink(ModuleOp module, std::string name, const KernelRequest &request,
               SmallVectorImpl<KernelStage> &stages)
      : module(module), name(std::move(name)), stages(stages) {
    for (MemRefType type : request.buffers)
      storage.push_back(type.getElementType());
  }

  void stage(int64_t items,
             llvm::function_ref<void(KernelBuilder &)> body) override {
    std::string function = name;
    if (!stages.empty())
      function += "_stage" + std::to_string(stages.size());
    KernelBuilder kernel(module, function, storage);
    body(kernel);
    kernel.finish();
    stages.push_back({module.lookupSymbol<LLVM::LLVMFuncOp>(function), items});
  }

private:
  ModuleOp module;
  std::string name;
  SmallVectorImpl<KernelStage> &stages;
  SmallVector<Type> storage;
};
} // namespace

ArrayRef<KernelStage> KernelSet::get(const KernelRequest &request) {
  auto [entry, isNew] = kernels.try_emplace(getKey(request));
  if (isNew) {
    std::string name =
        ("kernel" + Twine(kernels.size() - 1) + "_" + request.kernel).str();
    FunctionSink sink(module, name, request, entry->second);
    lookupGenerator(request.kernel)->generate(request, sink);
  }
  return entry->second;
}

KernelRequest nlp::rt::makeRequest(Operation *op) {
  KernelRequest request;
  auto kernelOp = cast<KernelOpInterface>(op);
  for (Value buffer : kernelOp.getReads())
    request.buffers.push_back(cast<MemRefType>(buffer.getType()));
  request.reads = request.buffers.size();
  for (Value buffer : kernelOp.getWrites())
    request.buffers.push_back(cast<MemRefType>(buffer.getType()));
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    request.kernel = launch.getKernel();
    request.params = launch.getParams();
  } else if (auto pointwise = dyn_cast<PointwiseOp>(op)) {
    request.kernel = "pointwise";
    request.body = &pointwise.getBody();
  }
  return request;
}

//===- ObjectFile.cpp - A module of the LLVM dialect to an object ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels arrive as vector code in SSA form, without calls, so a short pipeline
// does what O2 would: it takes a fraction of the time and gives the same loops.
//
//===----------------------------------------------------------------------===//

#include "nlp/Target/ObjectFile.h"
#include "MainFunction.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace nlp;

/// Simplify, move what is the same in each iteration out of loops, remove
/// common subexpressions and dead code.
static constexpr const char *kPipeline =
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine,"
    "loop-mssa(loop-rotate,licm),gvn,instcombine,simplifycfg,adce),"
    "globaldce,constmerge";

FailureOr<std::unique_ptr<llvm::TargetMachine>>
nlp::createTargetMachine(Location location, const CodeOptions &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(location, "expected a target that LLVM knows: ") << error;
  std::string cpu = options.cpu;
  llvm::SubtargetFeatures features;
  if (cpu == "host") {
    cpu = llvm::sys::getHostCPUName();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
  }
  SmallVector<StringRef> added;
  StringRef(options.features).split(added, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : added)
    features.AddFeature(feature);
  auto create = [&](StringRef name, StringRef enabled) {
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, name, enabled, llvm::TargetOptions(), llvm::Reloc::PIC_,
        std::nullopt, llvm::CodeGenOptLevel::Default));
  };
  // LLVM itself only warns of an unknown name, so another machine is asked.
  std::unique_ptr<llvm::TargetMachine> any = create("", "");
  if (!any || !any->getMCSubtargetInfo()->isCPUStringValid(cpu))
    return emitError(location, "expected a CPU that LLVM knows, but got '")
           << cpu << "'";
  return create(cpu, features.getString());
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kPipeline));
  passes.run(module, modules);
}

std::unique_ptr<llvm::Module>
nlp::translateAndOptimize(ModuleOp module, const CodeOptions &options,
                          llvm::TargetMachine &machine,
                          llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "nlp-opt");
  if (!code)
    return nullptr;
  code->setTargetTriple(machine.getTargetTriple());
  code->setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : *code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    // LLVM would halve vectors on many CPUs that have 512-bit registers.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  if (options.withMain)
    addMain(*code, machine);
  optimize(*code, machine);
  return code;
}

LogicalResult nlp::writeObjectFile(ModuleOp module, const CodeOptions &options,
                                   StringRef path) {
  auto machine = createTargetMachine(module.getLoc(), options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateAndOptimize(module, options, **machine, context);
  if (!code)
    return module.emitError("expected a module of the LLVM dialect");
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return module.emitError("expected a target that writes object files");
  passes.run(*code);
  if (llvm::Error error =
          writeFileAtomically(path, StringRef(bytes.data(), bytes.size())))
    return module.emitError(llvm::toString(std::move(error)));
  return success();
}

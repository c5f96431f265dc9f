//===- PlanTimeline.cpp - A step's memory, launch by launch -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of what the lifetimes of the packed program say; nothing is estimated.
// A long step is shown in columns of equally many launches, each by its fullest
// launch, so that no peak is lost. Positions that run nothing (names of
// buffers) are left out, but for the one that the memory report takes as the
// peak.
//
//===----------------------------------------------------------------------===//

#include "PlanTimeline.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace nlp;

static constexpr int64_t maxColumns = 2000;
/// More phases than this cannot be told apart in a picture.
static constexpr size_t maxPhases = 400;
static constexpr size_t maxIntervals = 64;

namespace {
/// Live bytes by category and position, and which positions are launches.
class Positions {
public:
  explicit Positions(const rt::ProgramLifetimes &lifetimes);

  int64_t getTotal(int64_t position) const {
    int64_t total = 0;
    for (const std::vector<int64_t> &of : bytes)
      total += of[position];
    return total;
  }
  /// Launches before `position`.
  int64_t countLaunches(int64_t position) const {
    return llvm::lower_bound(launches, position) - launches.begin();
  }

  std::vector<std::vector<int64_t>> bytes;
  std::vector<int64_t> launches; // positions, rising
  int64_t peak = 0;
};
} // namespace

Positions::Positions(const rt::ProgramLifetimes &lifetimes) {
  int64_t count = lifetimes.ops.size();
  bytes.assign(rt::getMaxEnumValForCategory() + 1,
               std::vector<int64_t>(count + 2, 0));
  for (const rt::BufferLifetime &buffer : lifetimes.buffers)
    for (auto [begin, end] : buffer.live) {
      bytes[static_cast<size_t>(buffer.category)][begin] += buffer.bytes;
      bytes[static_cast<size_t>(buffer.category)][end] -= buffer.bytes;
    }
  for (std::vector<int64_t> &of : bytes)
    for (int64_t position = 1; position < count; ++position)
      of[position] += of[position - 1];
  for (int64_t position = 1; position < count; ++position)
    if (getTotal(position) > getTotal(peak))
      peak = position;
  for (int64_t position = 0; position < count; ++position)
    if (position == peak || isa<rt::KernelOpInterface>(lifetimes.ops[position]))
      launches.push_back(position);
}

std::string nlp::getLaunchName(Operation *op) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op))
    return launch.getKernel().str();
  std::string name = op->getName().stripDialect().str();
  // A definition of one op and the yield says what it computes.
  if (auto pointwise = dyn_cast<rt::PointwiseOp>(op))
    if (Block &body = pointwise.getBody().front();
        llvm::hasNItems(body.getOperations(), 2))
      name += " " + body.front().getName().stripDialect().str();
  return name;
}

bool nlp::isRecomputation(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  auto metadata =
      fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  return metadata && metadata.getValue() == "recompute";
}

static std::string getPhaseName(rt::RoutineKind kind) {
  switch (kind) {
  case rt::RoutineKind::ForwardBackward:
    return "forward";
  case rt::RoutineKind::WeightGradient:
    return "weight gradients";
  default:
    return rt::stringifyRoutineKind(kind).str();
  }
}

/// A gradient of the kernel catalogue is the first thing that a backward pass
/// runs: that of the loss.
static bool beginsBackward(Operation *op) {
  auto launch = dyn_cast<rt::LaunchOp>(op);
  return launch && launch.getKernel().ends_with("_grad");
}

/// The micro-batches of the runs that have positions, in order.
static std::vector<int64_t> getMicroBatches(rt::ProgramOp program) {
  mlir::SymbolTable symbols(program);
  std::vector<int64_t> microBatches;
  for (Attribute attr : program.getRuns()) {
    auto run = cast<rt::RunAttr>(attr);
    auto routine = symbols.lookup<rt::RoutineOp>(run.getRoutine().getAttr());
    if (!routine.getBody().front().empty())
      microBatches.push_back(run.getMicroBatch());
  }
  return microBatches;
}

/// One phase for what the micro-batches do, where they are too many to show.
static void joinPhases(std::vector<TimelinePhase> &phases) {
  if (phases.size() <= maxPhases)
    return;
  std::vector<TimelinePhase> joined;
  for (TimelinePhase &phase : phases) {
    if (phase.microBatch >= 0 && !joined.empty() &&
        joined.back().name == "forward and backward") {
      joined.back().end = phase.end;
      continue;
    }
    joined.push_back(std::move(phase));
    if (joined.back().microBatch >= 0) {
      joined.back().name = "forward and backward";
      joined.back().microBatch = -1;
    }
  }
  phases = std::move(joined);
}

static std::vector<TimelinePhase>
listPhases(rt::ProgramOp program, const rt::ProgramLifetimes &lifetimes,
           const Positions &positions) {
  std::vector<int64_t> microBatches = getMicroBatches(program);
  std::vector<TimelinePhase> phases;
  int64_t count = positions.launches.size(), run = -1;
  Operation *first = nullptr;
  // Runs are told apart by the first op of their routine.
  int64_t position = -1;
  bool isForward = false;
  for (int64_t launch = 0; launch < count; ++launch) {
    Operation *op = lifetimes.ops[positions.launches[launch]];
    bool isNewRun = false;
    while (position < positions.launches[launch]) {
      first = lifetimes.ops[++position];
      if (first == &first->getBlock()->front()) {
        isNewRun = true;
        ++run;
      }
    }
    auto routine = op->getParentOfType<rt::RoutineOp>();
    bool turns = isForward && beginsBackward(op);
    if (!isNewRun && !turns) {
      phases.back().end = launch + 1;
      continue;
    }
    rt::RoutineKind kind = routine.getKind();
    isForward = !turns && kind == rt::RoutineKind::ForwardBackward;
    bool isOfMicroBatch = run < static_cast<int64_t>(microBatches.size()) &&
                          kind != rt::RoutineKind::Update;
    phases.push_back({turns ? "backward" : getPhaseName(kind),
                      isOfMicroBatch ? microBatches[run] : -1, launch,
                      launch + 1});
  }
  joinPhases(phases);
  return phases;
}

static std::string getTypeText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto buffer = cast<MemRefType>(type);
  for (int64_t size : buffer.getShape())
    os << size << "×";
  os << buffer.getElementType();
  return text;
}

static TimelineValue describeValue(const rt::BufferLifetime &lifetime,
                                   const rt::ProgramLifetimes &lifetimes,
                                   const Positions &positions) {
  TimelineValue value{"",
                      "",
                      "",
                      lifetime.category,
                      lifetime.bytes,
                      {},
                      static_cast<int64_t>(lifetime.live.size())};
  Operation *writer = nullptr;
  for (auto [begin, end] : lifetime.live) {
    bool isAtPeak = begin <= positions.peak && positions.peak < end;
    if (isAtPeak)
      writer = lifetimes.ops[begin];
    if (isAtPeak || lifetime.live.size() <= maxIntervals)
      value.live.push_back(
          {positions.countLaunches(begin), positions.countLaunches(end)});
  }
  if (auto buffer = dyn_cast<rt::BufferOp>(lifetime.op)) {
    value.name = buffer.getSymName().str();
    if (buffer.getInstances() > 1)
      value.name += " #" + std::to_string(lifetime.instance);
    value.op = rt::stringifyBufferKind(buffer.getKind()).str();
    value.type = getTypeText(buffer.getType());
    return value;
  }
  value.type = getTypeText(lifetime.op->getResult(0).getType());
  Operation *named = writer ? writer : lifetime.op;
  value.name = getPlace(named->getLoc()).str();
  value.op = getLaunchName(named);
  if (isRecomputation(named))
    value.op += ", recomputed";
  return value;
}

static void addColumns(PlanTimeline &timeline,
                       const rt::ProgramLifetimes &lifetimes,
                       const Positions &positions) {
  timeline.launches = positions.launches.size();
  timeline.launchesOfColumn =
      std::max<int64_t>(1, llvm::divideCeil(timeline.launches, maxColumns));
  for (int64_t begin = 0; begin < timeline.launches;
       begin += timeline.launchesOfColumn) {
    TimelineColumn column;
    column.launch = begin;
    int64_t end =
        std::min(begin + timeline.launchesOfColumn, timeline.launches);
    for (int64_t launch = begin; launch < end; ++launch) {
      int64_t position = positions.launches[launch];
      column.recomputed += isRecomputation(lifetimes.ops[position]);
      if (positions.getTotal(position) >
          positions.getTotal(positions.launches[column.launch]))
        column.launch = launch;
    }
    int64_t position = positions.launches[column.launch];
    column.op = lifetimes.ops[position];
    for (const std::vector<int64_t> &of : positions.bytes)
      column.bytes.push_back(of[position]);
    if (position == positions.peak)
      timeline.peakColumn = timeline.columns.size();
    timeline.recomputed += column.recomputed;
    timeline.columns.push_back(std::move(column));
  }
}

PlanTimeline nlp::buildTimeline(rt::ProgramOp program,
                                const rt::MemoryReport &memory) {
  rt::ProgramLifetimes lifetimes = rt::getLifetimes(program);
  Positions positions(lifetimes);
  PlanTimeline timeline;
  if (lifetimes.ops.empty())
    return timeline;
  addColumns(timeline, lifetimes, positions);
  timeline.phases = listPhases(program, lifetimes, positions);
  for (const rt::BufferLifetime &lifetime : memory.largest)
    timeline.largest.push_back(describeValue(lifetime, lifetimes, positions));
  return timeline;
}

//===- TensorBoard.cpp - Curves for TensorBoard -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event file is a row of records: length, checksum of the length, an Event
// message in protobuf's wire format, its checksum. An Event has a time (field
// 1), a step (2) and either the file's version (3) or a Summary (5) of one
// Value (1): tag (1) and simple_value (2). Messages are shorter than 128 bytes,
// so that every length takes one byte.
//
//===----------------------------------------------------------------------===//

#include "core/TensorBoard.h"
#include "core/Metrics.h"
#include <array>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace nlprt {

namespace {
/// A message under construction.
class Message {
public:
  template <typename T> void fixed(int field, T value) {
    put(static_cast<char>(field << 3 | (sizeof(T) == 8 ? 1 : 5)));
    bytes({reinterpret_cast<const char *>(&value), sizeof(value)});
  }
  void varint(int field, uint64_t value) {
    put(static_cast<char>(field << 3));
    for (; value >= 128; value >>= 7)
      put(static_cast<char>(value | 128));
    put(static_cast<char>(value));
  }
  void text(int field, std::string_view value) {
    assert(value.size() < 128 && "lengths take one byte");
    put(static_cast<char>(field << 3 | 2));
    put(static_cast<char>(value.size()));
    bytes(value);
  }
  std::string_view view() const { return {data, length}; }

private:
  void put(char byte) {
    assert(length < sizeof(data) && "message too long");
    data[length++] = byte;
  }
  void bytes(std::string_view value) {
    for (char byte : value)
      put(byte);
  }

  char data[160];
  size_t length = 0;
};

constexpr std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0x82f63b78 : 0);
    table[i] = value;
  }
  return table;
}
} // namespace

/// CRC-32C, rotated and shifted as record files want it.
static uint32_t maskedChecksum(std::string_view data) {
  static constexpr std::array<uint32_t, 256> table = makeTable();
  uint32_t sum = ~0u;
  for (char byte : data)
    sum = sum >> 8 ^ table[(sum ^ static_cast<uint8_t>(byte)) & 255];
  sum = ~sum;
  return (sum >> 15 | sum << 17) + 0xa282ead8;
}

static double wallTime() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

TensorBoard::TensorBoard(const std::string &folder) {
  if (folder.empty())
    return;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    throw systemError(folder, "create the folder", code.value());
  char host[65] = "host";
  gethostname(host, sizeof(host) - 1);
  path = format("%s/events.out.tfevents.%010lld.%s.%d", folder.c_str(),
                static_cast<long long>(wallTime()), host, getpid());
  file = FileHandle(open(
      path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (!file)
    throw systemError(path, "open for writing", errno);
  Message event;
  event.fixed(1, wallTime());
  event.text(3, "brain.Event:2");
  record(event.view());
}

void TensorBoard::record(std::string_view event) {
  char data[256];
  char *end = data;
  auto put = [&](const void *from, size_t bytes) {
    std::memcpy(end, from, bytes);
    end += bytes;
  };
  uint64_t length = event.size();
  put(&length, sizeof(length));
  uint32_t sum = maskedChecksum({data, sizeof(length)});
  put(&sum, sizeof(sum));
  put(event.data(), event.size());
  sum = maskedChecksum(event);
  put(&sum, sizeof(sum));
  // A short write leaves half a record, which readers skip.
  ssize_t written = retry([&] { return write(file.get(), data, end - data); });
  if (written != end - data)
    throw systemError(path, "write", written < 0 ? errno : ENOSPC);
}

void TensorBoard::scalar(std::string_view tag, int64_t step, double value) {
  if (!std::isfinite(value))
    return;
  Message entry, summary, event;
  entry.text(1, tag);
  entry.fixed(2, static_cast<float>(value));
  summary.text(1, entry.view());
  event.fixed(1, wallTime());
  event.varint(2, static_cast<uint64_t>(step));
  event.text(5, summary.view());
  record(event.view());
}

void TensorBoard::step(const StepMetrics &metrics) {
  if (!file)
    return;
  scalar("loss/train", metrics.step, metrics.loss);
  scalar("grad_norm", metrics.step, metrics.gradNorm);
  scalar("lr", metrics.step, metrics.learningRate);
  scalar("tokens_per_second", metrics.step, metrics.tokensPerSecond);
}

void TensorBoard::evaluation(int64_t step, double loss) {
  if (file)
    scalar("loss/eval", step, loss);
}

} // namespace nlprt

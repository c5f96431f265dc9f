//===- probe.c - Watches a training binary from inside ------------*- C -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loaded with LD_PRELOAD. A line of --metrics tells it that a step has ended:
// it notes what was allocated since the last one and, when the step is
// PROBE_SIGNAL_AT, sends SIGTERM. PROBE_REPORT names a file for a line per
// step:
//
//   step allocations bytes-allocated resident-anonymous-bytes
//
// An allocation is a call of malloc or one of its family, or of mmap. A
// training binary serves some requests for aligned memory from its arena
// itself; what it passes on comes here. Counts of all threads.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_llong allocations, allocated;

static void *note(void *memory) {
  if (memory) {
    allocations++;
    allocated += malloc_usable_size(memory);
  }
  return memory;
}

void *malloc(size_t size) { return note(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) {
  return note(__libc_calloc(count, size));
}

void *memalign(size_t alignment, size_t size) {
  return note(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : 12; // ENOMEM
}

void *realloc(void *memory, size_t size) {
  return note(__libc_realloc(memory, size));
}

void *mmap(void *address, size_t size, int protection, int flags, int file,
           off_t offset) {
  allocations++;
  allocated += size;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file,
                         offset);
}

static long long readResident(void) {
  char text[4096];
  int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
  if (file >= 0)
    close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *found = strstr(text, "\nAnonymous:");
  return found ? atoll(found + 11) * 1024 : -1;
}

static ssize_t writeReally(int file, const void *data, size_t size) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real)
    real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  return real(file, data, size);
}

static void endStep(long long step) {
  static int report = -1;
  const char *path = getenv("PROBE_REPORT");
  if (report < 0 && path)
    report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (report >= 0) {
    char line[256];
    int length =
        snprintf(line, sizeof(line), "%lld %lld %lld %lld\n", step,
                 (long long)allocations, (long long)allocated, readResident());
    writeReally(report, line, length);
  }
  allocations = allocated = 0;
  const char *signalAt = getenv("PROBE_SIGNAL_AT");
  if (signalAt && atoll(signalAt) == step)
    raise(SIGTERM);
}

ssize_t write(int file, const void *data, size_t size) {
  ssize_t written = writeReally(file, data, size);
  static const char start[] = "{\"step\":";
  size_t length = sizeof(start) - 1;
  if (size > length && memcmp(data, start, length) == 0 &&
      memmem(data, size, ",\"loss\":", 8)) // not an evaluation's line
    endStep(atoll((const char *)data + length));
  return written;
}

#===- replay.py - Who holds which bytes, and when ------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""replay.py RUNTIME.mlir: replays a program of the runtime phase.

Reads what `nlp-compile --emit=runtime` writes as text, and nothing else of the
compiler: buffers with their offsets and sizes, what each op reads and writes, and
the order of runs. From the uses it finds anew when each buffer is live, and fails
where two that are live together share a byte, where one leaves the arena, or where
something is read that nobody has written. The steps of the schedule come first,
each routine that is not in it (evaluation) after them.
"""
import bisect
import re
import sys
from math import prod

ALIGNMENT = 64
BITS = {"i1": 8, "bf16": 16}
NAME = r'@("(?:[^"\\]|\\.)*"|[\w$.-]+)'
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
BUFFER = re.compile(r"\s*nlprt\.buffer " + NAME + r" : (memref<[^>]*>) "
                    r"kind +(\w+) +category +\w+ *(\{.*\})?")
ROUTINE = re.compile(r"\s*nlprt\.routine " + NAME + r" kind")
GET = re.compile(r"\s*(%[\w]+) = nlprt\.get " + NAME)
ALLOC = re.compile(r"\s*(%[\w]+) = nlprt\.alloc +\w+ *(\{.*\})? : (memref<[^>]*>)")
VIEW = re.compile(r"\s*(%[\w]+) = nlprt\.view (%[\w]+)")
KERNEL = re.compile(r"\s*nlprt\.(launch \"(\w+)\"|pointwise|accumulate)( first)? ?"
                    r"\(([^)]*)\) to ?\(([^)]*)\)(.*)")
# Live from the first step to the last, whoever uses them.
LASTING = ("parameter", "state", "scalar")


class ReplayError(Exception):
    pass


def size_of(memref):
    *shape, element = memref[len("memref<"):-1].split("x")
    bits = BITS.get(element) or int(element[1:])
    return prod(int(size) for size in shape) * bits // 8


def number(text, name):
    found = re.search(rf"\b{name} = (-?\d+)", text or "")
    return int(found[1]) if found else None


class Buffer:
    """A place of the arena, or several: one for each instance of a slot."""

    def __init__(self, name, memref, kind, offsets):
        self.name, self.kind, self.offsets = name, kind, offsets
        self.bytes = size_of(memref)


class Program:
    """Buffers and routines as the text says."""

    def __init__(self, text):
        self.buffers, self.routines, self.runs = {}, {}, []
        self.arena = None
        lines = text.splitlines()
        for line in lines:
            if "nlprt.program @" in line:
                self.read_program(line)
            elif found := BUFFER.match(line):
                offsets = re.search(r"offsets = array<i64: ([-\d, ]+)>", found[4])
                self.buffers[found[1]] = Buffer(
                    found[1], found[2], found[3],
                    [int(offset) for offset in offsets[1].split(",")])
        values = body = None
        for line in lines:
            if found := ROUTINE.match(line):
                values, body = {}, []
                self.routines[found[1]] = body
            elif body is not None and not BUFFER.match(line):
                self.read_op(line, values, body)
        if not self.runs or not self.routines or self.arena is None:
            raise ReplayError("expected a program with runs and an arena")

    def read_program(self, line):
        line = re.sub("plan = " + TEXT.pattern, "", line)
        self.arena = number(line, "arena_bytes")
        self.runs = [(name, int(batch)) for name, batch in re.findall(
            "#nlprt.run<" + NAME + r", (\d+)>", line)]

    def read_op(self, line, values, body):
        if found := GET.match(line):
            values[found[1]] = self.buffers[found[2]]
        elif found := ALLOC.match(line):
            values[found[1]] = Buffer(f"{found[1]} of the routine", found[3],
                                      "alloc", [number(found[2], "offset")])
        elif found := VIEW.match(line):
            values[found[1]] = values[found[2]]
        elif found := KERNEL.match(line):
            reads, writes = ([values[name.strip()] for name in names.split(",")
                              if name.strip()] for names in (found[4], found[5]))
            adds = bool(number(found[6], "accumulate")) or "accumulate" in found[1]
            first = bool(number(found[6], "first")) or bool(found[3])
            body.append((reads, writes, adds, first))
        elif "nlprt." in line and "nlprt.yield" not in line:
            raise ReplayError(f"expected an op that is known, but got '{line}'")


class Uses:
    """First and last moment of each buffer that is live for a while."""

    def __init__(self):
        self.spans, self.now = {}, 0

    def use(self, owner, is_read):
        if owner in self.spans:
            self.spans[owner][1] = self.now
        elif is_read:
            raise ReplayError(f"{owner[0].name} is read before it is written")
        else:
            self.spans[owner] = [self.now, self.now]

    def run(self, body, run, micro_batch):
        """One run of a routine for one micro-batch."""
        self.now += 1
        for reads, writes, _, _ in body:
            for buffer in reads + writes:
                if buffer.kind == "input":  # written by the loop
                    self.use(owner_of(buffer, run, micro_batch), False)
        for reads, writes, adds, first in body:
            self.now += 1
            if adds and not (first and micro_batch == 0):
                reads = reads + writes[:1]
            for buffers, is_read in ((reads, True), (writes, False)):
                for buffer in buffers:
                    if buffer.kind not in LASTING:
                        self.use(owner_of(buffer, run, micro_batch), is_read)

    def end(self):
        """The loop reads the figures when all runs are done."""
        self.now += 1
        for owner, span in self.spans.items():
            if owner[0].kind == "figure":
                span[1] = self.now


def owner_of(buffer, run, micro_batch):
    """A buffer with what tells one life of it from another."""
    if buffer.kind in ("alloc", "input"):
        return buffer, run
    return buffer, micro_batch if buffer.kind == "slot" else 0


def offset_of(owner):
    buffer, instance = owner
    return buffer.offsets[instance % len(buffer.offsets)]


class Arena:
    """What is live, by offset."""

    def __init__(self, size):
        self.size, self.live = size, []

    def take(self, owner):
        begin, end = offset_of(owner), offset_of(owner) + owner[0].bytes
        if begin < 0 or end > self.size or begin % ALIGNMENT:
            raise ReplayError(f"{owner[0].name} lies from {begin} to {end} in an "
                              f"arena of {self.size} bytes")
        at = bisect.bisect_left(self.live, (begin, end))
        for other in self.live[max(0, at - 1):at + 1]:
            if other[0] < end and begin < other[1]:
                raise ReplayError(f"{owner[0].name} and {other[2]} are live "
                                  f"together, and both have byte "
                                  f"{max(begin, other[0])}")
        self.live.insert(at, (begin, end, owner[0].name))

    def leave(self, owner):
        begin, end = offset_of(owner), offset_of(owner) + owner[0].bytes
        del self.live[bisect.bisect_left(self.live, (begin, end))]


def replay(text):
    """The arena's bytes, and the most that is live at one time."""
    program = Program(text)
    arena = Arena(program.arena)
    lasting = [(buffer, 0) for buffer in program.buffers.values()
               if buffer.kind in LASTING]
    for owner in lasting:
        arena.take(owner)
    base = peak = sum(owner[0].bytes for owner in lasting)
    others = [name for name in program.routines
              if name not in {run[0] for run in program.runs}]
    for phase in [program.runs] + [[(name, 0)] for name in others]:
        uses = Uses()
        for run, (name, micro_batch) in enumerate(phase):
            uses.run(program.routines[name], run, micro_batch)
        uses.end()
        # At one moment, all that is used is live: ends come after begins.
        events = sorted([(span[0], 0, number, owner) for number, (owner, span)
                         in enumerate(uses.spans.items())] +
                        [(span[1], 1, number, owner) for number, (owner, span)
                         in enumerate(uses.spans.items())],
                        key=lambda event: event[:3])
        live = base
        for _, is_end, _, owner in events:
            if is_end:
                arena.leave(owner)
                live -= owner[0].bytes
            else:
                arena.take(owner)
                live += owner[0].bytes
                peak = max(peak, live)
    return program.arena, peak


if __name__ == "__main__":
    with open(sys.argv[1]) as runtime:
        try:
            print("arena of %d bytes, at most %d live" % replay(runtime.read()))
        except ReplayError as error:
            sys.exit(f"replay.py: error: {error}")

"""One module for each parameter of each kernel of a step, changed to a size
that its buffers do not have; each expects an error at the launch.

  mutate_params.py RUNTIME.mlir > modules.mlir
"""

import re
import sys

# What is not a size: values, names and modes.
FREE = {"site", "scale", "rate", "epsilon", "normalizer", "value", "dropout",
        "mask", "window", "trans_a", "trans_b", "accumulate", "first",
        "frequencies", "inverse"}


def changed(text):
    """The wrong texts for one value of a parameter."""
    array = re.match(r"array<i64: (.*)>", text)
    if array:
        sizes = array.group(1).split(", ")
        for place in range(len(sizes)):
            for wrong in (-1000000, 10**9, 2**63 - 1):
                yield "array<i64: %s>" % ", ".join(
                    sizes[:place] + [str(wrong)] + sizes[place + 1:])
        return
    value = int(text.split()[0])
    for wrong in {value + 10**6, 2**63 - 1, -1} - {value}:
        yield "%d : i64" % wrong


def main():
    lines = [re.sub(r" loc\(.*?\)$", "", line)
             for line in open(sys.argv[1]).read().splitlines()
             if not line.startswith("#loc")]
    seen, modules = set(), []
    for number, line in enumerate(lines):
        launch = re.search(r'nlprt.launch "(\w+)".*params = \{(.*?)\}', line)
        # A stride over one element is free, so copies of one do not count.
        if not launch or "shape = array<i64: 1>" in launch[2]:
            continue
        # One launch of each kernel, and of products with and without a bias.
        key = launch[1], "has_bias = 1" in launch[2]
        if key in seen:
            continue
        seen.add(key)
        at = launch.start(2)
        for field in re.finditer(r"(\w+) = (array<[^>]*>|[^,]+)", launch[2]):
            if field[1] in FREE:
                continue
            for wrong in changed(field[2]):
                begin, end = at + field.start(2), at + field.end(2)
                modules.append("\n".join(
                    lines[:number]
                    + ["// expected-error @+1 {{expected}}",
                       line[:begin] + wrong + line[end:]]
                    + lines[number + 1:]))
    if len(modules) < 50:
        sys.exit("expected 50 modules or more, but got %d" % len(modules))
    print("\n// -----\n".join(modules))


main()

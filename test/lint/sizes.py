#!/usr/bin/env python3
"""Checks the length of source files: 600 lines for code, 400 for ops' .td."""

import os
import sys

CODE_LIMIT = 600
TABLEGEN_LIMIT = 400
FOLDERS = ("include", "lib", "runtime", "tools", "test")


def limit_of(name):
    if name.endswith("Ops.td"):
        return TABLEGEN_LIMIT
    if name.endswith((".h", ".cpp", ".c", ".cu", ".td", ".py")):
        return CODE_LIMIT
    return None


def check(root):
    errors, count = [], 0
    for folder in FOLDERS:
        for parent, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                limit = limit_of(name)
                if limit is None:
                    continue
                count += 1
                path = os.path.join(parent, name)
                with open(path, "rb") as source:
                    lines = sum(1 for _ in source)
                if lines > limit:
                    errors.append(
                        f"{os.path.relpath(path, root)}: error: expected at "
                        f"most {limit} lines, but got {lines}")
    return errors, count


if __name__ == "__main__":
    found, checked = check(sys.argv[1])
    print("\n".join(found + [f"sizes: {checked} files, {len(found)} errors"]))
    sys.exit(1 if found else 0)

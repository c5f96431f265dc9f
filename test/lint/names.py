#!/usr/bin/env python3
"""Checks what files say: banners, pass names, open ends, foreign paths.

- Every C++ and .td file opens with the banner that names it.
- A pass `Foo` is `-nlp-foo` or `-nlprt-foo`, and is defined in Foo.cpp.
- A note of work to do is followed by a colon and a reason; other marks of open
  ends are not used.
- No file names a folder of one person's machine or a package registry.

Called as names.py ROOT [--fix]; --fix puts wrapped banners on one line.
"""

import os
import re
import subprocess
import sys

CODE = (".h", ".cpp", ".c", ".cu", ".td")
TEXT = CODE + (".py", ".sh", ".md", ".txt", ".cmake", ".mlir", ".test", ".def",
               ".in", ".json", ".yml")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# Written in pieces so that this file does not find itself.
OPEN_END = re.compile(r"\b(?:FIX" r"ME|XX" r"X|HA" r"CK)\b")
UNREASONED = re.compile(r"\bTO" r"DO\b(?!: \S.{8,})")
FOREIGN = re.compile(
    r"(?<![\w.$}{*-])/(?:wo" r"rk|ro" r"ot|fa" r"rm|ho" r"me)/|\.lib" r"rary\b|"
    r"\b(?:py" r"pi\.org|files\.python" r"hosted|registry\.np" r"mjs|"
    r"crates\.i" r"o|proxy\.gol" r"ang)")

PASS_DEF = re.compile(r"^def (\w+)\s*:\s*(?:Interface)?Pass<\s*\"([\w-]+)\"", re.M)
GEN_DEF = re.compile(r"^#define GEN_PASS_DEF_(\w+)", re.M)


def tracked_files(root):
    """Files of the project: what git tracks or would add, else all but build."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "--cached", "--others",
             "--exclude-standard"],
            capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [
            os.path.relpath(os.path.join(parent, name), root)
            for parent, _, names in os.walk(root) for name in names]
        listed = [path for path in listed
                  if not path.startswith((".git/", "build", "install"))]
    return sorted(path for path in set(listed)
                  if os.path.isfile(os.path.join(root, path)))


def plain(name):
    """`name` without dashes, dialect prefix and the word Pass, lower case."""
    name = name.replace("-", "").lower()
    return re.sub(r"^(?:convert)?(?:nlprt|nlp)?|pass$", "", name)


def check_banner(path, text):
    lines = text.splitlines()[:3]
    name = re.escape(os.path.basename(path))
    if (len(lines) < 3 or SPDX not in lines[2] or
            not re.match(rf"(?://|/\*)===- {name} - \S.*=//$", lines[0])):
        return [f"{path}:1: error: expected the banner "
                f"'//===- {os.path.basename(path)} - TITLE ---===//' and the "
                "licence on line 3"]
    return []


def fix_banner(path, text):
    """`text` with its banner on one line, where a formatter has wrapped it."""
    lines = text.splitlines()
    name = os.path.basename(path)
    start = f"//===- {name} - "
    if not lines or not lines[0].startswith(start):
        return text
    end = next((i for i, line in enumerate(lines[:3])
                if line.endswith("===//")), None)
    if end is None:
        return text
    wrapped = " ".join(line.removeprefix("//") for line in lines[:end + 1])
    title = re.sub(r"^===- \S+ - ", "", wrapped)
    title = re.sub(r"\s*-+\*- *C\+\+.*$|[\s-]*===//$", "", title).strip(" -")
    line = f"{start}{title} "
    line = line.ljust(80 - len("===//"), "-") + "===//"
    return "\n".join([line] + lines[end + 1:]) + "\n"


def check_passes(path, text):
    errors = []
    if path.endswith(".td"):
        for name, argument in PASS_DEF.findall(text):
            if plain(name) != plain(argument):
                errors.append(f"{path}: error: expected pass {name} to be "
                              f"called as its name says, but got -{argument}")
    elif path.endswith(".cpp") and path.startswith("lib/"):
        stem = os.path.splitext(os.path.basename(path))[0]
        for name in GEN_DEF.findall(text):
            if plain(name) != plain(stem):
                errors.append(f"{path}: error: expected pass {name} in a file "
                              "of its own name")
    return errors


def check_lines(path, text):
    errors = []
    for number, line in enumerate(text.splitlines(), 1):
        if OPEN_END.search(line) or UNREASONED.search(line):
            errors.append(f"{path}:{number}: error: expected 'TO" "DO: reason', "
                          f"but got '{line.strip()[:60]}'")
        if FOREIGN.search(line):
            errors.append(f"{path}:{number}: error: names a foreign folder or "
                          f"host: '{line.strip()[:60]}'")
    return errors


def check(root):
    errors, count = [], 0
    for path in tracked_files(root):
        if not path.endswith(TEXT) and "." in os.path.basename(path):
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8") as source:
                text = source.read()
        except UnicodeDecodeError:
            continue  # a binary fixture
        count += 1
        errors += check_lines(path, text)
        if path.endswith(CODE):
            errors += check_banner(path, text) + check_passes(path, text)
    return errors, count


def fix(root):
    for path in tracked_files(root):
        if not path.endswith(CODE):
            continue
        full = os.path.join(root, path)
        with open(full, encoding="utf-8") as source:
            text = source.read()
        fixed = fix_banner(path, text) if check_banner(path, text) else text
        if fixed != text:
            with open(full, "w", encoding="utf-8") as out:
                out.write(fixed)


if __name__ == "__main__":
    if "--fix" in sys.argv[2:]:
        fix(sys.argv[1])
    found, checked = check(sys.argv[1])
    print("\n".join(found + [f"names: {checked} files, {len(found)} errors"]))
    sys.exit(1 if found else 0)

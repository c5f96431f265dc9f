#!/usr/bin/env python3
"""Checks that what the documents show is so.

  docs.py examples BUILD SOURCE   every MLIR example parses and verifies
  docs.py commands BUILD SOURCE   every shell command runs, with the output shown
  docs.py quotes   BUILD SOURCE   every quotation stands in the file it names,
                                  every link and every `path/of/a/file` exists

Documents are README.md, docs/ and what `nlp-doc` generates. What a fenced block
is follows from its language; an HTML comment right before it says more:

  ```mlir      a module, or a part of one: see examples.py
    <!-- with: TEXT -->            declarations that the example needs
  ```sh        commands
    <!-- not run: REASON -->       what a test cannot do
  ```console   commands after "$ ", each followed by what it prints
    <!-- numbers vary -->          with the machine: only the words are compared
    <!-- makes: FILE -->           before it runs, FILE is the MLIR block above
  any other    nothing is checked
    <!-- from: PATH -->            but that it is a quotation from that file

In output and quotations a line of "…" stands for any lines; in a line of output
it stands for any text.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import examples

COMMENT = re.compile(r"<!--\s*(not run|numbers vary|makes|with|from)\s*:?\s*(.*?)\s*-->",
                     re.S)
FENCE = re.compile(r"^([ \t]*)```(\w*)\n(.*?)^[ \t]*```[ \t]*$", re.S | re.M)
INLINE = re.compile(r"Example: `([^`]+)`")
PATH = re.compile(r"`((?:cmake|docs|examples|include|lib|machines|runtime|scripts|"
                  r"test|tools)/[\w./-]*)`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


class Block:
    """A fenced block and what the comments before it say."""

    def __init__(self, path, text, match):
        self.path = path
        self.line = text.count("\n", 0, match.start()) + 1
        self.language = match.group(2)
        indent = match.group(1)
        self.text = "\n".join(
            line.removeprefix(indent) for line in match.group(3).splitlines())
        before = text[:match.start()].rstrip()
        self.comments = {}
        while before.endswith("-->"):
            start = before.rfind("<!--")
            comment = COMMENT.fullmatch(before[start:])
            if comment:
                self.comments[comment.group(1)] = comment.group(2)
            before = before[:start].rstrip()

    def place(self):
        return f"{self.path}:{self.line}"


def documents(build, source):
    """Paths of all documents, in a fixed order, relative to `source`."""
    paths = [os.path.join(source, "README.md")]
    for root in (os.path.join(source, "docs"), os.path.join(build, "docs")):
        for parent, folders, names in os.walk(root):
            folders.sort()
            paths += [os.path.join(parent, name) for name in sorted(names)
                      if name.endswith(".md")]
    return paths


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(path, source):
    text = read(path)
    return [Block(os.path.relpath(path, source), text, match)
            for match in FENCE.finditer(text)]


def check_examples(build, source):
    errors, count = [], 0
    parser = examples.Parser(os.path.join(build, "bin", "nlp-opt"))
    for path in documents(build, source):
        found = [(block.place(), block.text, block.comments.get("with", ""))
                 for block in blocks(path, source) if block.language == "mlir"]
        text = read(path)
        found += [(f"{os.path.relpath(path, source)}:"
                   f"{text.count(chr(10), 0, match.start()) + 1}",
                   match.group(1), "") for match in INLINE.finditer(text)]
        for place, example, declarations in found:
            count += 1
            message = parser.check(example, declarations)
            if message:
                errors.append(f"{place}: error: {message}")
    return errors, f"{count} examples"


def is_line(wanted, got, normal):
    parts = [re.escape(normal(part)) for part in wanted.split("…")]
    return bool(re.fullmatch(r"\s*.*\s*".join(parts), normal(got)))


def matches(wanted, got, normal):
    """True where the lines `got` are as `wanted`; "…" stands for any lines."""
    if not wanted:
        return not got
    if wanted[0].strip() == "…":
        return any(matches(wanted[1:], got[skip:], normal)
                   for skip in range(len(got) + 1))
    return (bool(got) and is_line(wanted[0], got[0], normal)
            and matches(wanted[1:], got[1:], normal))


def without_numbers(line):
    """`line` with "#" for each number and size, and single spaces."""
    line = re.sub(r"\d[\d.]*(e[+-]?\d+)?([KMGT]?i?B\b)?", "#", line)
    line = re.sub(r"# [KMGT]?i?B\b", "#", line)
    return re.sub(r"[\s─]+", " ", line).strip()


def with_single_spaces(line):
    return re.sub(r"\s+", " ", line).strip()


class Workspace:
    """A folder in which the source tree and the tools seem to stand."""

    def __init__(self, build, source):
        self.folder = tempfile.mkdtemp(prefix="docs", dir=os.path.join(build, "test"))
        for name in os.listdir(source):
            if not name.startswith((".", "build")):
                os.symlink(os.path.join(source, name),
                           os.path.join(self.folder, name))
        os.symlink(build, os.path.join(self.folder, "build"))
        self.environment = dict(
            os.environ, XDG_CACHE_HOME=os.path.join(build, "test", "cache"),
            PATH=os.path.join(build, "bin") + os.pathsep + os.environ["PATH"])

    def run(self, commands):
        """Runs shell commands; the exit status and all that they print."""
        process = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder,
            env=self.environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return process.returncode, process.stdout

    def close(self):
        shutil.rmtree(self.folder)


def console_steps(text):
    """Commands of a console block with the lines that each prints."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and steps[-1][0].endswith("\\"):
            steps[-1] = (steps[-1][0] + "\n" + line, [])
        elif steps:
            steps[-1][1].append(line)
    return steps


def run_block(block, above, workspace):
    """An error message, or None. `above` is the last MLIR block before it."""
    if "makes" in block.comments:
        with open(os.path.join(workspace.folder, block.comments["makes"]),
                  "w", encoding="utf-8") as file:
            file.write(above.text + "\n")
    if block.language == "sh":
        status, output = workspace.run(block.text)
        return status and f"exit status {status}:\n{output}"
    normal = (without_numbers if "numbers vary" in block.comments
              else with_single_spaces)
    for command, wanted in console_steps(block.text):
        _, output = workspace.run(command)
        if not matches(wanted, output.rstrip().splitlines(), normal):
            return (f"expected of '{command}':\n" + "\n".join(wanted) +
                    f"\nbut got:\n{output}")
    return None


def check_commands(build, source):
    errors, count = [], 0
    for path in documents(build, source):
        above = workspace = None
        for block in blocks(path, source):
            if block.language == "mlir":
                above = block
            if (block.language not in ("sh", "console")
                    or "not run" in block.comments):
                continue
            count += 1
            workspace = workspace or Workspace(build, source)
            message = run_block(block, above, workspace)
            if message:
                errors.append(f"{block.place()}: error: {message}")
        if workspace:
            workspace.close()
    return errors, f"{count} blocks of commands"


def stands_in(wanted, lines):
    """True where the lines `wanted` follow each other in `lines`."""
    start = 0
    part = []
    for line in wanted + ["…"]:
        if line != "…":
            part.append(line)
            continue
        at = next((i for i in range(start, len(lines) - len(part) + 1)
                   if lines[i:i + len(part)] == part), None)
        if at is None:
            return False
        start, part = at + len(part), []
    return True


def check_quotes(build, source):
    errors, count = [], 0
    for path in documents(build, source):
        for block in blocks(path, source):
            if "from" not in block.comments:
                continue
            count += 1
            file = os.path.join(source, block.comments["from"])
            if not os.path.isfile(file):
                errors.append(f"{block.place()}: error: quotes {file}, which "
                              "does not exist")
                continue
            strip = [line.strip() for line in block.text.splitlines()]
            if not stands_in(strip, [line.strip() for line in read(file).splitlines()]):
                errors.append(f"{block.place()}: error: expected this text in "
                              f"{block.comments['from']}:\n{block.text}")
        text = FENCE.sub("", read(path))
        for link in LINK.findall(text):
            target = link.split("#")[0]
            if not target or ":" in target:
                continue
            count += 1
            if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                errors.append(f"{os.path.relpath(path, source)}: error: link to "
                              f"{link}, which does not exist")
        for name in PATH.findall(text):
            count += 1
            if not os.path.exists(os.path.join(source, name)):
                errors.append(f"{os.path.relpath(path, source)}: error: names "
                              f"{name}, which does not exist")
    return errors, f"{count} quotations, links and paths"


CHECKS = {"examples": check_examples, "commands": check_commands,
          "quotes": check_quotes}

if __name__ == "__main__":
    check = CHECKS[sys.argv[1]]
    found, checked = check(os.path.realpath(sys.argv[2]),
                           os.path.realpath(sys.argv[3]))
    print("\n".join(found + [f"docs: {checked}, {len(found)} errors"]))
    sys.exit(1 if found else 0)

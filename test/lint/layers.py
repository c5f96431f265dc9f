#!/usr/bin/env python3
"""Checks that each library includes only headers of the layers it may use.

The table below is the one of docs/Overview.md. Headers that several libraries
may see only in part (op classes, for example) have rules of their own.
"""

import os
import re
import sys

# Library: what it may include beside itself. MLIR stands for mlir/ headers,
# LLVM for any other llvm/ header than Support, ADT and Config.
ALLOWED = {
    "Support": [],
    "Machine": ["Support"],
    "Solver": ["Support"],
    "Interfaces": ["Support", "MLIR"],
    "Dialect/NLP/IR": ["Interfaces", "Support", "MLIR"],
    "Dialect/NLPRT/IR": ["Support", "MLIR"],
    "Analysis": ["Interfaces", "Machine", "Support", "Dialect/NLP/IR", "MLIR"],
    "Dialect/NLP/Transforms": [
        "Dialect/NLP/IR", "Analysis", "Interfaces", "Support", "MLIR"],
    "Dialect/NLPRT/Transforms": [
        "Dialect/NLPRT/IR", "Analysis", "Solver", "Support", "MLIR"],
    "Planner": [
        "Dialect/NLP/IR", "Analysis", "Machine", "Solver", "Interfaces",
        "Support", "MLIR"],
    "Conversion": [
        "Dialect/NLP/IR", "Dialect/NLPRT/IR", "Interfaces", "Support", "MLIR",
        "LLVM"],
    "Import": ["Dialect/NLP/IR", "Interfaces", "Support", "MLIR"],
    "Reference": ["Dialect/NLP/IR", "Interfaces", "Support", "MLIR"],
    "Target": ["Dialect/NLPRT/IR", "Conversion", "Support", "MLIR", "LLVM"],
    "Pipelines": ["*"],
}

# Of the dialects' IR folders these see the attributes, never the op classes.
NO_OP_CLASSES = {"Analysis", "Planner"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
SOURCES = (".h", ".hpp", ".cpp", ".c", ".cu", ".cuh", ".inc", ".def")


def library_of(path):
    """The library that owns `path`, a path below include/nlp or lib."""
    for name in sorted(ALLOWED, key=len, reverse=True):
        if path.startswith(name + "/"):
            return name
    return None


def layer_of(header):
    """What including `header` uses: a library, MLIR, LLVM or None."""
    if header.startswith("nlp/"):
        return library_of(header[len("nlp/"):]) or header
    if header.startswith("mlir/"):
        return "MLIR"
    if header.startswith("llvm/") and not header.startswith(
            ("llvm/Support/", "llvm/ADT/", "llvm/Config/")):
        return "LLVM"
    return None


def violation(library, header):
    """Why `library` must not include `header`, or None."""
    if library == "runtime":
        if header.startswith(("llvm/", "mlir/", "nlp/")):
            return "runtime/ must build without LLVM and the compiler"
        return None
    allowed = ALLOWED[library]
    if "*" in allowed:
        return None
    layer = layer_of(header)
    if layer is None or layer == library:
        return None
    # MLIR brings the rest of LLVM with it; Support may format and walk files.
    if layer == "LLVM" and "MLIR" in allowed:
        return None
    if layer not in allowed:
        return f"{library} may use only {', '.join(allowed) or 'nothing'}"
    if library in NO_OP_CLASSES and re.search(
            r"Dialect/\w+/IR/\w*Ops\.h", header):
        return f"{library} must ask interfaces, not op classes"
    return None


def files_below(root, folder):
    for parent, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(parent, name), root)


def check_file(root, path, library):
    errors = []
    with open(os.path.join(root, path), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            match = INCLUDE.match(line)
            reason = match and violation(library, match.group(1))
            if reason:
                errors.append(
                    f"{path}:{number}: error: {reason}, but includes "
                    f"{match.group(1)}")
    return errors


def check(root):
    errors, count = [], 0
    for folder in ("include/nlp", "lib", "runtime"):
        for path in files_below(root, folder):
            count += 1
            library = "runtime" if folder == "runtime" else library_of(
                os.path.relpath(path, folder))
            if library is None:
                errors.append(f"{path}: error: belongs to no library of the "
                              "table in test/lint/layers.py")
                continue
            errors += check_file(root, path, library)
    return errors, count


if __name__ == "__main__":
    found, checked = check(sys.argv[1])
    print("\n".join(found + [f"layers: {checked} files, {len(found)} errors"]))
    sys.exit(1 if found else 0)

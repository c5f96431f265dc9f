"""Parses examples of MLIR that are not whole modules.

What an example is follows from how it begins: attributes, ops of a segment, of a
step, of a program, of a module. It is put where it belongs. A value that the
example uses and does not define becomes the result of an op "test.value", in a
routine a buffer; its type is what the parser says that the use expects.
"""

import re
import subprocess

MODULE_OPS = ("module", "nlp.parameter", "nlp.state", "nlp.step",
              "nlprt.program", "#")
STEP_OPS = ("nlp.segment", "nlp.slot ")
PROGRAM_OPS = ("nlprt.buffer", "nlprt.routine")

EXPECTED = re.compile(
    r"use of value '(%[\w#]+)' expects different type than prior uses: "
    r"'(.*?)' vs '")
NAME = re.compile(r"%[A-Za-z_]\w*|%\d+")

ROUTINE = ('nlprt.program @p attributes {{global_batch = 1, micro_batch = 1, '
           'model = "m", runs = [], seq_len = 1, threads = 1, vocab_size = 1}} '
           '{{\n{outer}nlprt.routine @r kind forward {{\n{inner}\n}}\n}}')
SEGMENT = ("nlp.step @s {{\n{outer}nlp.segment @f kind {kind} "
           "{{\n{inner}\n}}\n}}")


def first_op(example):
    """The name of the first op, or "#" for an attribute."""
    for line in example.splitlines():
        line = re.sub(r"^[\s%\w,:]*=\s*", "", line.strip())
        if line and not line.startswith("//"):
            return line
    return ""


def defined_values(example):
    names = set()
    for left in re.findall(r"^\s*((?:%\w+(?::\d+)?,?\s*)+)=", example, re.M):
        names.update(NAME.findall(left))
    for block in re.findall(r"^\s*\^\w+\((.*)\):", example, re.M):
        names.update(NAME.findall(block))
    return names


def free_values(example):
    defined = defined_values(example)
    code = re.sub(r"//.*", "", example)
    free = []
    for name in NAME.findall(code):
        if name not in defined and name not in free:
            free.append(name)
    return free


class Parser:
    def __init__(self, tool):
        self.tool = tool

    def run(self, text):
        process = subprocess.run(
            [self.tool, "--allow-unregistered-dialect", "-o", "/dev/null", "-"],
            input=text, text=True, capture_output=True)
        return "" if process.returncode == 0 else process.stderr

    def check(self, example, declarations):
        """Parses and verifies `example`; the error message, or None."""
        start = first_op(example)
        if start.startswith("#"):
            if "=" in start.split("<")[0]:  # aliases are a module
                return self.run(example) or None
            return self.run(f'"test.attribute"() {{a = {example}}} : () -> ()') or None
        if start.startswith(MODULE_OPS):
            return self.run(declarations + "\n" + example) or None
        unknown = "memref<0xi8>" if start.startswith("nlprt.") else "none"
        types = {name: unknown for name in free_values(example)}
        # One parse tells the type of one value.
        for _ in range(len(types) + 1):
            text = self.place(start, example, declarations, types)
            message = self.run(text)
            wrong = EXPECTED.search(message)
            if not wrong or types.get(wrong.group(1)) == wrong.group(2):
                return message or None
            types[wrong.group(1)] = wrong.group(2)
        return message

    def place(self, start, example, declarations, types):
        """`example` inside of what it needs around it."""
        maker = ("nlprt.alloc transients : {}" if start.startswith("nlprt.")
                 else '"test.value"() : () -> ({})')
        values = "".join(f"{name} = {maker.format(type)}\n"
                         for name, type in types.items())
        if start.startswith(STEP_OPS):
            return f"{declarations}\nnlp.step @s {{\n{example}\n}}"
        if start.startswith(PROGRAM_OPS):
            return ROUTINE.format(outer=example + "\n", inner="")
        if start.startswith("nlprt."):
            return ROUTINE.format(outer=declarations + "\n",
                                  inner=values + example)
        inside, outside = split(declarations)
        kind = "forward_backward" if "nlp.turn" in example else "evaluate"
        return outside + SEGMENT.format(outer=inside, kind=kind,
                                        inner=values + example)


def split(declarations):
    """Declarations of a step, and those of a module."""
    lines = declarations.splitlines()
    inside = [line for line in lines if line.strip().startswith("nlp.slot")]
    outside = [line for line in lines if line not in inside]
    return "\n".join(inside) + "\n", "\n".join(outside) + "\n"

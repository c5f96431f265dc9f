#===- damage.py - Files that are wrong in one place ----------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""damage.py WEIGHTS.safetensors TENSOR FOLDER: copies of the file, each wrong in
its own way, and token files that are."""
import array
import copy
import json
import os
import struct
import sys

source, tensor, folder = sys.argv[1:4]
with open(source, "rb") as file:
    data = file.read()
length = struct.unpack("<Q", data[:8])[0]
header, body = json.loads(data[8:8 + length]), data[8 + length:]


def put(name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def put_header(name, change, content=body):
    changed = copy.deepcopy(header)
    change(changed)
    text = json.dumps(changed).encode()
    put(name, struct.pack("<Q", len(text)) + text + content)


def swap_shape(entries):
    entries[tensor]["shape"].reverse()


def drop(entries):
    """Without the tensor; what follows moves up."""
    begin, end = entries.pop(tensor)["data_offsets"]
    for name, entry in entries.items():
        if name != "__metadata__" and entry["data_offsets"][0] >= end:
            entry["data_offsets"] = [x - end + begin
                                     for x in entry["data_offsets"]]


begin, end = header[tensor]["data_offsets"]
put("empty.safetensors", b"")
put("cut-header.safetensors", data[:100])
put("cut.safetensors", data[:-4])
put("text.safetensors", b"this is no such file, only text")
put("json.safetensors", struct.pack("<Q", 5) + b'{"a":')
put_header("dtype.safetensors", lambda h: h[tensor].update(dtype="F33"))
put_header("integer.safetensors", lambda h: h[tensor].update(dtype="I32"))
put_header("shape.safetensors", swap_shape)
put_header("offsets.safetensors",
           lambda h: h[tensor].update(data_offsets=[begin, end + 4]))
put_header("missing.safetensors", drop, body[:begin] + body[end:])

put("odd.bin", b"abc")
put("empty.bin", b"")
put("short.bin", array.array("H", [1, 2]).tobytes())
put("large.bin", array.array("H", [1, 2, 50, 3] * 50).tobytes())
put("llm.bin", struct.pack("<256i", 20240520, 1, 1000, *[0] * 253) + bytes(20))
put("bad.npy", b"\x93NUMPY\x01\x00\xff\xff")
put("text.txt", b"bytes of text need a vocabulary of 256\n" * 9)

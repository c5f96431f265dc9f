#===- tokens.py - Random tokens ------------------------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""tokens.py COUNT VOCABULARY FILE: ids of 16 bits, the same each time.

Every second one is the next after the last, so that there is something to learn.
"""
import array
import random
import sys

count, vocabulary = int(sys.argv[1]), int(sys.argv[2])
random.seed(count)
tokens = [0]
while len(tokens) < count:
    tokens.append(random.randrange(vocabulary))
    tokens.append((tokens[-1] + 1) % vocabulary)
with open(sys.argv[3], "wb") as file:
    array.array("H", tokens[:count]).tofile(file)

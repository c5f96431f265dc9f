#===- get.py - A number from a plan --------------------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""get.py PLAN.json KEY [ADDED]: prints the value of KEY, plus ADDED."""
import json
import sys

with open(sys.argv[1]) as file:
    value = json.load(file)[sys.argv[2]]
print(value + int(sys.argv[3]) if len(sys.argv) > 3 else value)

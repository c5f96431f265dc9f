#!/usr/bin/env python3
"""Puts a model into a folder whose name is markup and not UTF-8.

Called as hostile_name.py CONFIG FOLDER; prints the new folder.
"""

import os
import shutil
import sys

folder = os.path.join(os.fsencode(sys.argv[2]),
                      b"a\"'&<b><script>&amp;<!--\xff\\u003c")
os.makedirs(folder, exist_ok=True)
shutil.copyfile(sys.argv[1], os.path.join(folder, b"config.json"))
sys.stdout.buffer.write(folder)

"""Checks what `nlp-solve pack` writes: called as check_pack.py INSTANCE OUT.

Shares nothing with the solver. Every pair of rows is looked at.
"""

import csv
import sys


def read(path):
    with open(path, newline="") as source:
        return list(csv.DictReader(source))


def main():
    instance, packing = read(sys.argv[1]), read(sys.argv[2])
    if [row["id"] for row in instance] != [row["id"] for row in packing]:
        sys.exit("check_pack: error: expected the rows of the instance")
    buffers = []
    for before, row in zip(instance, packing):
        for key, value in before.items():
            if key != "offset" and row[key] != value:
                sys.exit(f"check_pack: error: {row['id']}: {key} has changed")
        start = int(row.get("lower", row.get("begin")))
        end = int(row.get("upper", row.get("end")))
        offset, size = int(row["offset"]), int(row["size"])
        if offset < 0 or offset % int(row.get("alignment") or 1):
            sys.exit(f"check_pack: error: {row['id']}: offset {offset}")
        if before.get("offset") and int(before["offset"]) != offset:
            sys.exit(f"check_pack: error: {row['id']}: not its fixed offset")
        for other in buffers:
            if (start < other[1] and other[0] < end and
                    offset < other[3] and other[2] < offset + size):
                sys.exit(f"check_pack: error: {row['id']} and {other[4]} "
                         "overlap")
        buffers.append((start, end, offset, offset + size, row["id"]))
    print("check_pack: the packing is right, height",
          max((buffer[3] for buffer in buffers), default=0))


if __name__ == "__main__":
    main()

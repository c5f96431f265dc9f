#!/bin/sh
# exits.sh CODE COMMAND...: runs the command and succeeds when it exits with
# that code. A crash is never what a test expects.
want=$1
shift
"$@"
got=$?
if [ "$got" != "$want" ]; then
  echo "exits.sh: error: expected exit code $want, but got $got: $*" >&2
  exit 1
fi

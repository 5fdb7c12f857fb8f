#!/bin/sh
# guard.sh PID SIGNAL: ends process PID and its group when standard input is closed, that is, when the
# starter has ended for any reason. Prevents servers from outliving a killed test run.
while read -r _; do :; done
kill -s "$2" "$1" 2>/dev/null || exit 0
i=0
while kill -0 "$1" 2>/dev/null && [ $i -lt 30 ]; do sleep 0.1; i=$((i + 1)); done
kill -s KILL -- "-$1" 2>/dev/null
exit 0

#!/bin/sh
# guard.sh PID SIGNAL: ends process PID, and its group, once our standard input is closed, that is, once whoever started us is gone,
# however it went. Keeps servers that a test run started from outliving a test run that was killed.
while read -r _; do :; done
kill -s "$2" "$1" 2>/dev/null || exit 0
i=0
while kill -0 "$1" 2>/dev/null && [ $i -lt 30 ]; do sleep 0.1; i=$((i + 1)); done
kill -s KILL -- "-$1" 2>/dev/null
exit 0

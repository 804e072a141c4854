#!/bin/sh
# Stop the engine that start.sh started in FOLDER, by its pid file.
#
#   sh tests/engine/stop.sh FOLDER
#
# The log stays; images and containers go with the rest of the data.
set -eu

folder=${1:?the folder given to start.sh}
if [ -f "$folder/pid" ]; then
  daemon=$(cat "$folder/pid")
  kill "$daemon" 2>/dev/null || true
  tries=0
  while kill -0 "$daemon" 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ]; then
      echo "stop.sh: dockerd (process $daemon) does not end" >&2
      exit 1
    fi
    sleep 0.25
  done
fi
rm -rf "$folder/data" "$folder/exec" "$folder/docker.sock" "$folder/pid"

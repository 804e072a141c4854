#!/bin/sh
# Stop the engine that start.sh started in FOLDER, by its pid file.
#
#   sh tests/engine/stop.sh FOLDER
#
# The log stays; images and containers go with the rest of the data.
set -eu

folder=$(cd "${1:?the folder given to start.sh}" && pwd)
daemon=$(cat "$folder/pid" 2>/dev/null || true)

# A daemon that was killed leaves its pid file, and the number goes to others.
is_ours() {
  [ -n "$daemon" ] && grep -aqsF -- "$folder/pid" "/proc/$daemon/cmdline"
}

if is_ours; then
  kill "$daemon"
  tries=0
  while is_ours; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ]; then
      echo "stop.sh: dockerd (process $daemon) does not end" >&2
      exit 1
    fi
    sleep 0.25
  done
fi
# Only a daemon that ends in good order takes its mounts away, and that not at once.
mounts() {
  cut -d ' ' -f 5 /proc/self/mountinfo | grep -F -- "$folder/" | sort -r
}
tries=0
while [ -n "$(mounts)" ] && [ "$tries" -lt 40 ]; do
  mounts | while read -r place; do umount "$place" 2>/dev/null || true; done
  tries=$((tries + 1))
  sleep 0.25
done
rm -rf "$folder/data" "$folder/exec" "$folder/docker.sock" "$folder/pid"
